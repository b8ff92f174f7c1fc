"""NVIDIA's GPUs. NVIDIA prints tensor rates twice, dense and "with sparsity"; these are dense."""

from __future__ import annotations

from accelreport.analysis.hardware import Hardware, Reading

_TRT = "https://github.com/NVIDIA/TensorRT-LLM (tensorrt_llm/auto_parallel/cluster_info.py)"
_NEMO = "https://github.com/NVIDIA-NeMo/RL (nemo_rl/utils/flops_tracker.py)"
_LIGHTNING = (
    "https://github.com/Lightning-AI/pytorch-lightning (src/lightning/fabric/utilities/"
    "throughput.py)"
)
_XFORMERS = "https://github.com/facebookresearch/xformers (xformers/profiler/device_limits.py)"
_IMAGES = "https://images.nvidia.com/"
_CONTENT = "https://www.nvidia.com/content/"
_SHEETS = f"{_CONTENT}dam/en-zz/Solutions/"
_TURING = (
    f"{_SHEETS}design-visualization/technologies/turing-architecture/"
    "NVIDIA-Turing-Architecture-Whitepaper.pdf"
)
_PASCAL = f"{_IMAGES}content/pdf/tesla/whitepaper/pascal-architecture-whitepaper.pdf"
_GA102 = f"{_CONTENT}PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf"
_ADA = f"{_IMAGES}aem-dam/Solutions/Data-Center/l4/nvidia-ada-gpu-architecture-whitepaper-v2.1.pdf"
_GIST = "https://gist.github.com/syhw/b8067966a498b604b4750e9458f36804"
_QUOTED = "public repositories that quote the whitepaper's appendix"


def _gpu(
    name: str,
    pattern: str,
    gbps: float | None,
    source: str,
    address: str,
    reading: Reading,
    read_in: str,
    wording: str,
    unit: str = "GPU",
    **tflops: float,
) -> Hardware:
    return Hardware(
        name, pattern, tflops, gbps, source, address, reading, read_in, wording, unit
    )  # fmt: skip


NVIDIA: tuple[Hardware, ...] = (
    _gpu("NVIDIA H200", r"\bH200\b", 4800.0,
         "H200 data sheet, NVIDIA", "https://www.nvidia.com/en-us/data-center/h200/",
         "maker", _NEMO, "H200, bfloat16: 1979 / 2; float32: 989 / 2 if TF32 else 67.0",
         float32=67.0, float16=989.5, bfloat16=989.5, tensorfloat32=494.5),
    _gpu("NVIDIA H100 PCIe", r"\bH100 PCIe\b", 2000.0,
         "H100 data sheet, NVIDIA",
         "https://resources.nvidia.com/en-us-tensor-core/nvidia-tensor-core-gpu-datasheet",
         "copy", f"{_TRT}; float32 in {_LIGHTNING}",
         "memory_bw=2000, float16=756, bfloat16=756, float32=378 (TF32); h100 pcie float32 51.2",
         float32=51.2, float16=756.0, bfloat16=756.0, tensorfloat32=378.0),
    _gpu("NVIDIA H100 SXM", r"\bH100\b", 3350.0,
         "H100 data sheet, NVIDIA",
         "https://resources.nvidia.com/en-us-tensor-core/nvidia-tensor-core-gpu-datasheet",
         "maker", f"{_NEMO}; bandwidth in {_TRT}",
         "H100 80GB HBM3, bfloat16: 1979 / 2; float32: 989 / 2 if TF32 else 67.0; 3350 GB/s",
         float32=67.0, float16=989.5, bfloat16=989.5, tensorfloat32=494.5),
    _gpu("NVIDIA A100", r"\bA100\b", 2039.0,
         "A100 data sheet, NVIDIA; bandwidth of the 80 GB module",
         f"{_SHEETS}Data-Center/a100/pdf/nvidia-a100-datasheet-us-nvidia-1758950-r4-web.pdf",
         "maker", f"{_TRT}; float32 in {_NEMO}",
         "memory_bw=2039, float16=312, bfloat16=312, float32=156 (TF32); 19.5 without TF32",
         float32=19.5, float16=312.0, bfloat16=312.0, tensorfloat32=156.0),
    _gpu("NVIDIA A40", r"\bA40\b", 696.0,
         "A40 data sheet, NVIDIA",
         f"{_IMAGES}content/Solutions/data-center/a40/nvidia-a40-datasheet.pdf",
         "copy", f"{_TRT}; float32 in {_LIGHTNING}",
         "memory_bw=696, float16=150, bfloat16=150, float32=75 (TF32); a40 float32 37.4",
         float32=37.4, float16=150.0, bfloat16=150.0, tensorfloat32=75.0),
    _gpu("NVIDIA A30", r"\bA30\b", 933.0,
         "A30 data sheet, NVIDIA",
         f"{_SHEETS}data-center/products/a30-gpu/pdf/a30-datasheet.pdf",
         "copy", f"{_TRT}; float32 in a public comparison",
         "memory_bw=933, float16=165, bfloat16=165, float32=82 (TF32); A30 10.3 TFLOPS",
         float32=10.3, float16=165.0, bfloat16=165.0, tensorfloat32=82.0),
    # Amazon's A10G is another product than the A10, with slower tensor cores.
    _gpu("NVIDIA A10G", r"\bA10G\b", 600.0,
         "A10G as TensorRT-LLM knows it, NVIDIA",
         "https://github.com/NVIDIA/TensorRT-LLM",
         "copy", f"{_TRT}; float32 in https://github.com/GoogleCloudPlatform/"
         "professional-services (instance_mapper/gpu-mapping.yaml)",
         "memory_bw=600, float16=70, bfloat16=70, float32=35 (TF32); A10G … FP32 31.52",
         float32=31.5, float16=70.0, bfloat16=70.0, tensorfloat32=35.0),
    _gpu("NVIDIA A10", r"\bA10\b", 600.0,
         "A10 data sheet, NVIDIA",
         f"{_SHEETS}Data-Center/a10/pdf/datasheet-new/nvidia-a10-datasheet.pdf",
         "copy", f"{_TRT}; float32 in {_XFORMERS}",
         "memory_bw=600, float16=125, bfloat16=125, float32=62.5 (TF32); 31.2",
         float32=31.2, float16=125.0, bfloat16=125.0, tensorfloat32=62.5),
    _gpu("NVIDIA L40S", r"\bL40S\b", 864.0,
         "L40S data sheet, NVIDIA", "https://resources.nvidia.com/en-us-l40s/l40s-datasheet-28413",
         "copy", f"{_TRT}; float32 in copies of the product page",
         "memory_bw=864, float16=362, bfloat16=362, float32=183 (TF32); FP32 91.6 TFLOPS",
         float32=91.6, float16=362.0, bfloat16=362.0, tensorfloat32=183.0),
    _gpu("NVIDIA L4", r"\bL4\b", 300.0,
         "L4 data sheet, NVIDIA", "https://nvdam.widen.net/s/rvq98gbwsw/l4-datasheet-2595652",
         "copy", f"{_TRT}; 121 and float32 in {_LIGHTNING}",
         "memory_bw=300, float16=120, float32=60 (TF32); l4 float32 30.3, float16 121",
         float32=30.3, float16=121.0, bfloat16=121.0, tensorfloat32=60.0),
    _gpu("Tesla V100 SXM2", r"\bV100.SXM2\b", 900.0,
         "V100 data sheet, NVIDIA",
         f"{_IMAGES}content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf",
         "copy", f"https://www.nvidia.co.uk/data-center/tensorcore/; {_TRT}; float32 in "
         f"{_LIGHTNING}",
         "That delivers up to 125 TFLOPS; memory_bw=900; v100 sxm float32 15.7",
         float32=15.7, float16=125.0),
    _gpu("Tesla V100 PCIe", r"\bV100\b", 900.0,
         "V100 data sheet, NVIDIA",
         f"{_IMAGES}content/technologies/volta/pdf/volta-v100-datasheet-update-us-1165301-r5.pdf",
         "copy", f"{_TRT}; float32 in {_LIGHTNING}",
         "V100-PCIe memory_bw=900, 112; v100 pcie float32 14",
         float32=14.0, float16=112.0),
    _gpu("Tesla P100 SXM2", r"\bP100.SXM2\b", 732.0,
         "Tesla P100 whitepaper, NVIDIA", _PASCAL,
         "copy", f"a copy of the whitepaper's table 1; bandwidth in {_XFORMERS}",
         "Tesla P100 … Peak FP32 GFLOPs 10600; float16 21.2; 732 GB/s",
         float32=10.6, float16=21.2),
    _gpu("Tesla P100 PCIe", r"\bP100\b", 732.0,
         "Tesla P100 data sheet, NVIDIA",
         f"{_IMAGES}content/tesla/pdf/nvidia-tesla-p100-datasheet.pdf",
         "copy", f"public notes on two such cards; bandwidth in {_XFORMERS}",
         "Tesla P100-PCIE-16GB, FP16 peak 18.7 TFLOPS each (float32: half of it)",
         float32=9.35, float16=18.7),
    _gpu("Tesla T4", r"\bT4\b", 320.0,
         "T4 data sheet, NVIDIA",
         f"{_SHEETS}Data-Center/tesla-t4/t4-tensor-core-datasheet-951643.pdf",
         "copy", f"{_LIGHTNING}; {_XFORMERS}; bandwidth in a copy of Google's table of GPUs",
         "t4 float32 8.1, float16 65; T4 | 16 GB GDDR6 @ 320 GBps | 0.25 | 8.1",
         float32=8.1, float16=65.0),
    _gpu("Tesla P40", r"\bP40\b", 347.1,
         "3840 cores × 2 operations × 1.531 GHz",
         "https://cputronic.com/gpu/compare/nvidia-tesla-k80-vs-nvidia-tesla-p40",
         "derived", "the address; bandwidth in https://cpu-gpu.alldbin.com/graphics-card-comparison/Tesla-P40-and-Tesla-K40s-comparison.html",
         "Shading Units 3840, Boost Clock 1531MHz; 11,758 gflops; 347.1 GB/s",
         float32=11.76),
    _gpu("Tesla P4", r"\bP4\b", 192.0,
         "GPUs on Compute Engine, Google", "https://cloud.google.com/compute/docs/gpus",
         "copy", "https://huggingface.co/spaces/Elfsong/gcp_allocator",
         "P4 | 8 GB GDDR5 @ 192 GBps | 0.2 | 5.5",
         float32=5.5),
    _gpu("Tesla M60", r"\bM60\b", None,
         "a list of theoretical peaks by syhw, 2019", _GIST,
         "copy", "the address",
         "M60 | 9.6 TFLOPS | 2048:128:64 x2 (i.e. x2 GPU dies)", "one of two GPUs",
         float32=4.8),
    _gpu("Tesla M40", r"\bM40\b", None,
         "Tesla P100 whitepaper, NVIDIA", _PASCAL,
         "copy", "a copy of the whitepaper's table 1",
         "Tesla M40 … Peak FP32 GFLOPs 6840 (based on GPU Boost Clocks)",
         float32=6.84),
    _gpu("Tesla K80", r"\bK80\b", 240.0,
         "a list of theoretical peaks by syhw, 2019", _GIST,
         "copy", "the address; more digits and bandwidth in public rooflines of the board",
         "K80 | 8.7 TFLOPS | 2496 cuda cores x2; 8.74 TFLOPS (dual GPU), 480 GB/s combined",
         "one of two GPUs",
         float32=4.37),
    _gpu("Tesla K40", r"\bK40\b", 288.0,
         "Tesla P100 whitepaper, NVIDIA", _PASCAL,
         "copy", "a copy of the whitepaper's table 1; bandwidth in https://www.microway.com/"
         "hpc-tech-tips/nvidia-tesla-k40-atlas-gpu-accelerator-kepler-gk110b-up-close",
         "Tesla K40 … Peak FP32 GFLOPs 5040; Memory bandwidth up to 288 GB/s",
         float32=5.04),
    _gpu("GeForce RTX 4090", r"\bRTX 4090\b", 1008.0,
         "Ada architecture whitepaper, NVIDIA", _ADA,
         "copy", _QUOTED,
         "Peak FP16 Tensor TFLOPS with FP32 Accumulate 165.2/330.4; 1008 GB/sec; FP32 82.6",
         float32=82.6, float16=165.2, bfloat16=165.2, tensorfloat32=82.6),
    _gpu("GeForce RTX 4080", r"\bRTX 4080\b", 716.8,
         "Ada architecture whitepaper, NVIDIA; half precision a quarter of int8", _ADA,
         "derived", _LIGHTNING,
         "rtx 4080 float32 48.7, int8 389.9; on the 4090 int8 660.6 and float16 165.2",
         float32=48.7, float16=97.5, bfloat16=97.5, tensorfloat32=48.7),
    _gpu("GeForce RTX 3090", r"\bRTX 3090\b", 936.0,
         "GA102 architecture whitepaper, NVIDIA", _GA102,
         "copy", _QUOTED,
         "Peak FP16 Tensor TFLOPS with FP32 (dense/sparse): 71/142; FP32 35.6; 936 GB/sec",
         float32=35.6, float16=71.0, bfloat16=71.0, tensorfloat32=35.6),
    _gpu("GeForce RTX 3080", r"\bRTX 3080\b", None,
         "GA102 architecture whitepaper, NVIDIA; half precision a quarter of int8", _GA102,
         "derived", _LIGHTNING,
         "rtx 3080 float32 29.8, int8 238; on the 3090 int8 284 and float16 71",
         float32=29.8, float16=59.5, bfloat16=59.5, tensorfloat32=29.8),
    _gpu("GeForce RTX 2080 Ti", r"\bRTX 2080 Ti\b", 616.0,
         "Turing architecture whitepaper, NVIDIA; Founders Edition", _TURING,
         "copy", "a copy of NVIDIA's article of the same table",
         "Peak FP32 TFLOPS 13.4 / 14.2; FP16 Tensor with FP32 Accumulate 53.8 / 56.9; 616 GB/sec",
         float32=14.2, float16=56.9),
    _gpu("GeForce GTX 1080 Ti", r"\bGTX 1080 Ti\b", 484.0,
         "Turing architecture whitepaper, NVIDIA", _TURING,
         "copy", "a copy of NVIDIA's article of the same table",
         "Peak FP32 TFLOPS 11.3 / 11.3; 484 GB/sec",
         float32=11.3),
    _gpu("GeForce GTX 1080", r"\bGTX 1080\b", None,
         "GeForce GTX 1080 whitepaper, NVIDIA", "", "unchecked", "", "",
         float32=8.9),
    _gpu("GeForce GTX 1070", r"\bGTX 1070\b", None,
         "GeForce GTX 1070 product page, NVIDIA", "", "unchecked", "", "",
         float32=6.5),
)  # fmt: skip
"""Special products before the general ones that their names contain."""
