"""The timer checks itself: what would make a timing wrong is looked for in every cell.

Nothing here runs inside a timed window. Each check becomes a `SelfCheck` of the record, and a
warning of the same name where it fails; `accelreport.analysis.invalid_results` says which of them
make a number one that is not shown.
"""
