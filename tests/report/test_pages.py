"""What stands on the pages of an ordinary site, and that it holds together."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest

from accelreport.errors import AccelReportError
from accelreport.report.charts.scales import plain_duration
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.devices import devices_page
from accelreport.report.pages.index import index_page
from accelreport.report.pages.methods import methods_page
from accelreport.report.pages.registry import PAGES
from accelreport.report.pages.run import checks_section, numbers_section
from accelreport.report.pages.sections.about import commands, run_command, site_commands
from accelreport.report.pages.sections.network import measured_facts
from accelreport.report.pages.sections.speedup import SCATTER, speedup_table
from accelreport.report.site.assembly import gather
from accelreport.report.site.options import BuildOptions
from accelreport.report.slides.site import deck_page
from accelreport.results.plan_document import variant
from accelreport.results.record import Flops, SelfCheck
from accelreport.spec.base import Scalar
from tests.report.scenarios import Results, ordinary
from tests.report.tree import Element, parse
from tests.support.records import Noise, slowed, study
from tests.support.sites import build

BENCHMARK = "mnist_batch_sweep.full.html"
QUICK = "mnist_batch_sweep.quick.html"
KERNEL = "matmul.full.html"


def section(page: Element, identity: str) -> Element:
    (found,) = [e for e in page.all("section") if e.attributes.get("id") == identity]
    return found


def test_there_is_a_page_for_each_plan_and_each_process(pages: dict[str, Element]) -> None:
    records = [record for each in ordinary().studies for record in each.records]
    begun = [record for record in records if record.status != "skipped"]
    assert len(begun) < len(records)
    assert {"index.html", BENCHMARK, QUICK, KERNEL} <= pages.keys()
    assert sum(name.startswith("cells/") for name in pages) == len(begun)
    links = {a.attributes["href"] for page in pages.values() for a in page.all("a")}
    cells = {link.partition("#")[0] for link in links if link.startswith("cells/")}
    assert {cell for cell in cells if cell.endswith(".html")} <= pages.keys()


def test_no_operations_of_a_call_are_said_to_be_of_a_backward_pass() -> None:
    (record,) = study("matmul", devices=("cpu",), axes={}, repeats=1).records
    flops = Flops(per_step=1e6, method="products, forward and backward, each as often as it ran")
    numbers = numbers_section(record.model_copy(update={"flops": flops}))
    assert "(products, each as often as it ran)" in repr(numbers)


def test_the_page_of_methods_says_what_is_timed_of_a_process() -> None:
    text = repr(methods_page())
    assert all(stage in text for stage in ("start-up", "first step", "warm-up", "with validation"))
    assert "The middle one is 0.8× to 1.25×" in text


def test_one_registry_has_the_pages_that_every_page_and_the_documentation_list(
    pages: dict[str, Element],
) -> None:
    assert {each.path for each in PAGES if each.link} < pages.keys()
    for name, page in pages.items():
        (site_links,) = (e for e in page.all("nav") if e.attributes.get("aria-label") == "Site")
        root = "../" * name.count("/")
        links = [(a.attributes["href"], a.text.strip()) for a in site_links.all("a")]
        assert links == [(root + each.path, each.link) for each in PAGES if each.link]
    documented = Path("docs/report.md").read_text(encoding="utf-8")
    assert all(f"| `{each.path}` |" in documented for each in PAGES)


def test_no_page_of_what_was_never_measured_names_what_it_was_measured_on() -> None:
    made = replace(study(), records=())
    (bench,) = benches = gather(Results((made,)))
    front = index_page(benches, "A site", ())
    assert front.kicker == ""
    deck = deck_page(benches, front)
    assert deck.kicker == "1\N{NO-BREAK SPACE}benchmark"
    pages = [front, deck, benchmark_page(bench), devices_page(benches)]
    assert all(fact.value for page in pages for fact in page.byline)
    assert "not recorded" not in repr(pages)


def test_every_link_leads_to_a_file_and_a_place_in_it(
    site: Path, pages: dict[str, Element]
) -> None:
    ids = {name: {e.attributes.get("id") for e in page.all()} for name, page in pages.items()}
    for name, page in pages.items():
        for link in page.all("a"):
            href = link.attributes["href"]
            if href.startswith("https://"):
                continue
            path, _, fragment = unquote(href).partition("#")
            target = (site / name).parent / path if path else site / name
            assert target.is_file(), f"{name}: {href}"
            if fragment:
                place = target.resolve().relative_to(site.resolve()).as_posix()
                assert fragment in ids[place], f"{name}: {href}"


def test_ids_are_unique_within_each_page(pages: dict[str, Element]) -> None:
    for name, page in pages.items():
        counts = Counter(e.attributes["id"] for e in page.all() if "id" in e.attributes)
        assert [identity for identity, count in counts.items() if count > 1] == [], name


def test_what_names_an_id_names_one_that_is_there(pages: dict[str, Element]) -> None:
    for name, page in pages.items():
        ids = {e.attributes.get("id") for e in page.all()}
        for element in page.all():
            for attribute in ("aria-labelledby", "aria-describedby", "for"):
                for identity in element.attributes.get(attribute, "").split():
                    assert identity in ids, f"{name}: {attribute}={identity}"


def test_tables_have_a_caption_and_headers_with_a_scope(pages: dict[str, Element]) -> None:
    for name, page in pages.items():
        for table in page.all("table"):
            (caption,) = table.all("caption")
            assert caption.text, name
            assert all(th.attributes.get("scope") for th in table.all("th")), name
            for row in table.all("tr"):
                assert row.all("th"), f"{name}: a row without a header"


def test_headings_go_down_one_level_at_a_time(pages: dict[str, Element]) -> None:
    for name, page in pages.items():
        levels = [int(e.tag[1]) for e in page.all("h1", "h2", "h3", "h4")]
        assert levels[0] == 1, name
        assert levels.count(1) == 1, name
        assert all(later - level <= 1 for level, later in itertools.pairwise(levels)), name


def test_every_figure_says_what_it_shows_and_has_its_numbers(pages: dict[str, Element]) -> None:
    for name, page in pages.items():
        for figure in page.all("figure"):
            drawings = figure.all("svg")
            assert drawings, name
            for drawing in drawings:
                assert drawing.attributes["role"] == "img"
                assert drawing.all("title")[0].text
                assert drawing.all("desc")[0].text
            own = figure.attributes["id"]
            *_, section = [page, *(s for s in page.all("section") if figure in s.all("figure"))]
            assert figure.all("table") or section.all("table"), f"{name}: {own}"


def test_every_figure_can_be_taken_away_as_one_file(site: Path, pages: dict[str, Element]) -> None:
    taken = 0
    figures = pages[BENCHMARK].all("figure")
    for figure in figures:
        files = [a.attributes["href"] for a in figure.all("a") if "download" in a.attributes]
        for name in (file for file in files if file.endswith(".svg")):
            text = (site / name).read_text(encoding="utf-8")
            assert ET.fromstring(text).tag.endswith("svg")  # noqa: S314 -- ours
            assert "var(" not in text
            assert ("#15161a" in text) is name.endswith(".dark.svg")
            said = parse(text).text
            for key in figure.all("ul")[0].all("li") if figure.all("ul") else []:
                assert key.text in said
            taken += 1
    assert taken == 2 * len(figures) > 0, "each in both themes"


def test_a_page_may_load_its_style_sheet_and_nothing_else(pages: dict[str, Element]) -> None:
    for name, page in pages.items():
        (policy,) = [
            e.attributes["content"]
            for e in page.all("meta")
            if e.attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policy.startswith("default-src 'none'; style-src 'sha256-"), name
        assert "unsafe" not in policy, name
        scripts = 1 if name.startswith("cells/") else 2
        assert len(page.all("script")) == scripts, name
        for element in page.all():
            assert "style" not in element.attributes, f"{name}: a style attribute"
            assert not any(attribute.startswith("on") for attribute in element.attributes), name
            source = element.attributes.get("src", "data:image/png")
            assert source.startswith("data:image/png"), name


def test_the_speedup_table_has_rates_and_factors_with_their_intervals(
    pages: dict[str, Element],
) -> None:
    (table,) = [t for t in pages[BENCHMARK].all("div") if t.attributes.get("id") == "speedup-table"]
    (rows,) = (
        [[cell.text for cell in row.all("td")] for row in body.all("tr")]
        for body in table.all("tbody")
        if "256" in body.all("th")[0].text
    )
    _, (cpu, *_), (one_thread, *_), (gpu, faster), *_ = rows
    assert re.match(r"2,\d{3} 2,\d{3}–2,\d{3}", cpu)
    assert re.match(r"1\d,\d{3} .*1\d,\d{3}–1\d,\d{3}", gpu)
    assert re.match(r"[45]\.\d× ?4\.\d–5\.\d×", faster)
    assert "1 of 4 failed" in one_thread
    assert "1 of 4 not run" in one_thread


def test_a_table_says_that_a_slow_process_at_one_point_widens_the_intervals_at_all() -> None:
    quiet = study(noise=Noise(process=0.01, step=0.01, outlier_share=0), epochs=2)
    slow = slowed(quiet, 1.6, device="gpu", repeat=0, batch_size=512)
    benches = [bench for made in (quiet, slow) for bench in gather(Results((made,)))]
    assert [SCATTER in speedup_table(bench).notes for bench in benches] == [False, True]


def test_a_setting_is_written_alike_wherever_it_stands(pages: dict[str, Element]) -> None:
    told = {"td", "th", "p", "h1", "h2", "h3", "li", "figcaption", "text", "dd"}
    said = {
        (name, each.text)
        for name, page in pages.items()
        for each in page.all(*told)
        if not each.all("pre", "code", *told)
    }
    assert sum("1,024" in text for _, text in said) > 20
    assert [place for place in said if re.search(r"(?<![\w.,])1024(?!\w)", place[1])] == []


def test_a_number_leads_to_the_cells_it_was_made_of(pages: dict[str, Element]) -> None:
    page = pages[BENCHMARK]
    (table,) = [t for t in page.all("div") if t.attributes.get("id") == "speedup-table"]
    links = [a.attributes["href"].removeprefix("#") for a in table.all("a")]
    assert len(links) == 9
    groups = {e.attributes.get("id"): e for e in page.all("tbody")}
    for link in links:
        measured = [a for a in groups[link].all("a") if a.attributes["href"].startswith("cells/")]
        assert measured


def test_synthetic_data_is_said_where_each_number_stands(pages: dict[str, Element]) -> None:
    page = pages[QUICK]
    assert "Synthetic data." in page.text
    (table,) = [t for t in page.all("div") if t.attributes.get("id") == "speedup-table"]
    title = next(p for p in page.all("p") if p.attributes.get("id") == "speedup-table-t")
    assert "synthetic data" in title.text
    assert "synthetic data" not in table.text, "what holds of every number is said once"
    for figure in section(page, "quality").all("figure"):
        assert "synthetic data" in figure.all("figcaption")[0].text
    assert "synthetic stand-in" in page.all("header")[1].text


def test_extrapolated_totals_and_partial_runs_are_marked(pages: dict[str, Element]) -> None:
    page = pages[BENCHMARK]
    assert "Partial runs." in page.text
    runs = section(page, "runs")
    assert runs.text.count("extrapolated") == 4
    (table,) = [t for t in page.all("div") if t.attributes.get("id") == "speedup-table"]
    assert table.text.count("†") == 1


def test_a_target_that_was_never_reached_is_said(pages: dict[str, Element]) -> None:
    quality = section(pages[QUICK], "quality")
    assert "not reached: 99.9" in pages[QUICK].text
    assert quality.text.count("never reached") == 6


def test_failures_and_absences_have_their_reason_and_remedy(pages: dict[str, Element]) -> None:
    absent = section(pages[BENCHMARK], "runs").text
    assert "Example T4: device memory full." in absent
    assert "What to do" not in absent, "the label is drawn by the style sheet"
    assert "Use a smaller batch." in absent
    assert "TPU v2-8: device not present." in absent
    assert "not run" in absent
    cells = [p.text for p in pages[BENCHMARK].all("p") if p.attributes.get("class") == "where"]
    assert "batch size 256, seed 0 ; batch size 512, seed 0 ; batch size 1,024, seed 0" in cells


def test_the_runs_are_open_only_where_one_failed(pages: dict[str, Element]) -> None:
    for name, broken in ((BENCHMARK, True), (QUICK, False)):
        (fold,) = [
            each
            for each in pages[name].all("details")
            if any(e.attributes.get("id") == "runs" for e in each.all("section"))
        ]
        assert ("open" in fold.attributes) is broken


def test_published_figures_stand_apart_from_measured_ones(pages: dict[str, Element]) -> None:
    published = section(pages[BENCHMARK], "published")
    assert "Colab GPU" in published.text
    assert "other conditions" in published.text
    assert "batch is per core" in published.text
    assert "not measured" in published.text


def test_upper_bounds_of_other_chips_stand_below_what_was_reached(
    pages: dict[str, Element],
) -> None:
    reached = section(pages[BENCHMARK], "hardware").text
    assert reached.index("Share of") < reached.index("Calculated upper bounds")
    assert "Tesla T4" in reached


def test_claims_have_a_verdict_and_a_rule_in_words(
    pages: dict[str, Element],
) -> None:
    claims = section(pages[BENCHMARK], "claims").text
    assert "The advantage grows with the batch" in claims
    assert "needs a device" in claims
    assert "TPU v2-8: device not present" in claims
    assert "TPU v2-8 is at least 17 times as fast as Example T4, by steady step time" in claims
    assert "batch_size" not in claims
    assert "no-device" not in claims


def test_wrong_predictions_come_first_with_their_pictures(pages: dict[str, Element]) -> None:
    (gallery,) = [u for u in pages[BENCHMARK].all("ul") if u.attributes.get("class") == "gallery"]
    wrong = ["wrong" in item.attributes.get("class", "") for item in gallery.all("li")]
    assert wrong == sorted(wrong, reverse=True)
    assert any(wrong)
    assert all(image.attributes["alt"] for image in gallery.all("img"))
    assert len(gallery.all("img")) == 20


def test_a_kernel_has_calls_and_no_accuracy(pages: dict[str, Element]) -> None:
    page = pages[KERNEL]
    assert "first call" in section(page, "times").text
    assert "TFLOPS" in page.all("header")[1].text
    assert not [s for s in page.all("section") if s.attributes.get("id") == "quality"]


def test_the_commands_to_reproduce_it_are_there(pages: dict[str, Element]) -> None:
    text = section(pages[QUICK], "reproduce").text
    assert "accelreport run specs/mnist_batch_sweep.toml --profile quick" in text
    assert "git checkout" in text


def test_a_command_measures_again_as_it_was_measured_not_as_the_plan_says_since() -> None:
    (bench,) = gather(Results((study("training", repeats=2),)))
    record = next(iter(bench.records.values()))
    ran = record.cell.measure.budget
    changes: dict[str, Scalar] = {"workload.data": "synthetic", "workload.shuffle": True}
    since = bench.plan.model_copy(
        update={
            "profile": variant("quick", changes),
            "overrides": changes,
            "measure": bench.plan.measure.model_copy(update={"budget": 2 * ran, "repeats": 5}),
        }
    )
    command = (
        "accelreport run specs/example_training.toml --profile quick --set workload.data=synthetic "
        f"--set workload.shuffle=true --set measure.repeats=2 --budget {ran:g}s\n"
    )
    changed = replace(bench, plan=since)
    assert command in [token.text for token in commands(changed)]
    assert command in [token.text for token in site_commands([changed])]
    facts = {fact.term: fact.value for fact in measured_facts(changed)}
    assert facts["Repeats"] == "2"
    assert facts["Budget per cell"] == plain_duration(ran)
    assert run_command(changed) == command.split(" --set measure")[0]


def test_devices_of_another_budget_are_measured_again_in_a_command_of_their_own() -> None:
    (bench,) = gather(Results((study("training", devices=("cpu", "gpu", "tpu")),)))
    budgets = {"cpu": 15.0, "gpu": 75.0, "tpu": 15.0}
    records = {}
    for key, record in bench.records.items():
        measure = record.cell.measure.model_copy(update={"budget": budgets[record.cell.device]})
        cell = record.cell.model_copy(update={"measure": measure})
        records[key] = record.model_copy(update={"cell": cell})
    runs = [t.text for t in commands(replace(bench, records=records)) if "run specs" in t.text]
    assert [run.split("--budget ")[1] for run in runs] == ["75s --device gpu\n", "15s\n"]


def test_a_command_leaves_out_devices_that_the_machine_has_and_a_run_left_out() -> None:
    made = study("training", devices=("cpu", "cpu-1", "gpu"))
    for kept, option in (({"cpu"}, " --device cpu\n"), ({"cpu", "cpu-1"}, "s\n")):
        records = tuple(r for r in made.records if r.cell.device in kept)
        (bench,) = gather(Results((replace(made, records=records),)))
        (run,) = [token.text for token in commands(bench) if "run specs" in token.text]
        assert run.endswith(option)
        one = commands(bench, records[0])
        assert "".join(token.text for token in one).count("--device cpu\n") == 1


def test_values_of_a_sweep_that_were_not_measured_are_not_measured_again() -> None:
    (bench,) = gather(Results((study("training"),)))
    (axis, values), *_ = bench.plan.axes.items()
    records = {k: r for k, r in bench.records.items() if r.cell.point[axis] == values[0]}
    runs = [t.text for t in commands(replace(bench, records=records)) if "run specs" in t.text]
    assert [f"--filter {axis}={values[0]}" in run for run in runs] == [True]
    assert "--filter" not in "".join(t.text for t in commands(bench))


def test_benchmarks_that_were_measured_alike_are_measured_again_in_one_run() -> None:
    (one,), (other,) = (gather(Results((study(spec=name),))) for name in ("one", "other"))
    (run,) = [t.text for t in site_commands([one, other]) if t.text.startswith("accelreport run")]
    assert run.startswith("accelreport run specs/one.toml specs/other.toml --set measure.repeats=")


@pytest.mark.parametrize("dirty", [False, True])
@pytest.mark.parametrize("commits", [1, 2])
def test_each_command_to_reproduce_it_begins_a_line(dirty: bool, commits: int) -> None:
    (bench,) = gather(Results((study("training"),)))
    records = {
        place: record.model_copy(
            update={
                "environment": record.environment.model_copy(
                    update={"dirty": dirty, "commit": f"{number % commits:040}"}
                )
            }
        )
        for number, (place, record) in enumerate(bench.records.items())
        if record.environment
    }
    lines = "".join(token.text for token in commands(replace(bench, records=records))).split("\n")
    assert [line.split()[0] for line in lines] == ["#", "git", "accelreport", "accelreport"]
    of = "" if commits == 1 else f"{-(-len(records) // 2)} of "
    edited = ", except for uncommitted changes in that checkout" * dirty
    assert lines[0] == f"# commit of {of}{len(records)}\xa0runs{edited}"
    assert lines[1] == f"git checkout {0:040}", "the commit of most cells"


def test_the_spec_stands_on_the_page_to_the_letter(pages: dict[str, Element]) -> None:
    plan = ordinary().studies[0].plan
    codes = section(pages[BENCHMARK], "files").all("code")
    assert plan.text in ["".join(code.pieces) for code in codes]


def test_a_cell_page_says_its_time_and_folds_its_raw_blocks(pages: dict[str, Element]) -> None:
    record = next(r for r in ordinary().studies[0].records if r.status == "ok")
    page = pages[f"cells/{record.key}.0a1b2c3d.html"]
    (title,) = page.all("h1")
    assert re.fullmatch(r"Example, 2 threads: \S+\s\S+ a step at batch size \S+", title.text)
    assert f"seed {record.cell.seed}" in page.text
    # A browser lays out no row of a table that nobody has opened.
    (folded,) = section(page, "blocks").all("details")
    rows = folded.all("tr")
    assert len(rows) == len(record.blocks) + 1
    assert f"{record.blocks[1].wall_s:.6f}" in rows[2].text
    assert " a step" in section(page, "blocks").all("span")[0].text
    mean = re.sub(r".*: (.*) a step.*", r"\1", title.text)
    assert f"mean {mean}" in section(page, "blocks").text
    assert "conv64_conv32" in section(page, "asked").text
    kernel = next(
        r for r in ordinary().records() if r.flops and r.cell.workload["kind"] == "matmul"
    )
    assert "FLOP a product (" in pages[f"cells/{kernel.key}.0a1b2c3d.html"].text
    passed = SelfCheck(name="compile-inside", outcome="passed", seen="0 functions in 0 of 11")
    unsteady = record.model_copy(update={"checks": [passed], "blocks": []})
    assert checks_section(unsteady) is None


def test_nothing_to_build_from_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(AccelReportError) as caught:
        build(Results(()), tmp_path)
    assert "accelreport run" in caught.value.remedy


def test_a_template_of_a_person_replaces_ours(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "index.html").write_text("<h1>{{ page.title }} of ours</h1>")
    results = Results((study(repeats=1, epochs=1, steps_per_epoch=30),))
    build(results, tmp_path / "out", options=BuildOptions(title="T", templates=mine))
    assert (tmp_path / "out" / "index.html").read_text() == "<h1>T of ours</h1>"


def test_a_folder_of_templates_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AccelReportError, match="not a folder of templates"):
        build(ordinary(), tmp_path / "out", options=BuildOptions(templates=tmp_path / "no"))


def test_a_plan_without_any_record_still_has_its_page(tmp_path: Path) -> None:
    made = study(repeats=1, fate=lambda cell: "missing")
    build(Results((made,)), tmp_path)
    page = parse((tmp_path / "example_training.full.html").read_text())
    heading = page.all("header")[1].text
    assert heading.count("Nothing has been measured yet") == 1
    assert "not run" in page.text


def test_a_result_file_that_could_not_be_read_is_named(tmp_path: Path) -> None:
    results = Results((study(repeats=1, epochs=1),), problems=("results/cells/x.json: cut off",))
    build(results, tmp_path)
    assert "results/cells/x.json: cut off" in parse((tmp_path / "index.html").read_text()).text


def test_one_process_gives_no_interval_and_says_so(tmp_path: Path) -> None:
    build(Results((study(repeats=1, epochs=2, origin="official"),)), tmp_path)
    page = parse((tmp_path / "example_training.full.html").read_text())
    (table,) = [t for t in page.all("div") if t.attributes.get("id") == "speedup-table"]
    assert table.text.count("‡") == 9
    header = page.all("header")[1].text
    assert "9 comparisons are not decided: single runs" in header
    assert "in one run" in header
