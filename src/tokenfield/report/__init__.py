"""The report of claims: one HTML page that needs nothing else, with formulas, figures, numbers and verdicts.

    from tokenfield import report
    report.write(folder, records)      # folder/index.html; records as made by tokenfield.claims.running

It only shows what records say; nothing is computed or judged here. The page loads nothing from the network, works
without JavaScript (which adds filters, sorting and copying), in light and dark, on a phone and on paper.
"""

from __future__ import annotations

from tokenfield.report.document import environment, page, write

__all__ = ["environment", "page", "write"]
