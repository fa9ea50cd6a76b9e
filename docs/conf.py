"""How the site is built: `make docs`. Everything on it is made of what is in the repository; no network is used."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")  # pages are the same on every machine

import xarray  # noqa: E402

import tokenfield  # noqa: E402

project = "tokenfield"
author = "The tokenfield authors"
copyright = "2026, the tokenfield authors"
version = release = tokenfield.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "site_gallery",
    "site_math",
    "site_docstrings",
    "site_formulas",
    "site_pages",
    "site_phone",
    "site_papers",
    "site_links",
    "site_marks",
]
exclude_patterns = [
    "_build",
    "_ext",
    "jupyter_execute",
    "gallery/scenes",
    *(f"gallery/**/*.{ending}" for ending in ("py", "ipynb", "md5", "zip", "json")),
]
# the scraper of the gallery is a module, which Sphinx cannot pickle; "Returns: (m, d)" is words, not a type
suppress_warnings = ["config.cache", "ref.python"]

# --- pages in Markdown, those of "ways" executed ---
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 4
smartquotes = False  # --set is an option, not a dash
nb_execution_mode = "cache"
nb_execution_in_temp = True  # pages write runs and scenes, which are not sources
nb_execution_cache_path = str(HERE / "_build" / "executed")
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

# --- the gallery; the quick one executes one example of each section and shows the others as code ---
QUICK = r"(circle_clusters|three_clusters|gaussian_blow_up|merge_time|polytope|separation|plot_sweep|plot_match)\.py$"
xarray.set_options(display_expand_attrs=False)  # the config of a sweep would fill the page
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": QUICK if os.environ.get("TOKENFIELD_DOCS_QUICK") else r"\.py$",
    "image_scrapers": ("site_gallery",),
    "reset_modules": (),  # one process, whose compiled programs later examples use again
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "capture_repr": ("_repr_html_",),  # what a cell prints is enough: no <Legend object> below a figure
    "thumbnail_size": (480, 336),
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "write_computation_times": False,  # its page would load scripts from the network
    "min_reported_time": 10_000,
    "abort_on_example_error": True,
    "plot_gallery": "True",
}

# --- the reference ---
toc_object_entries_show_parents = "hide"  # members stand below their class; with its name they would not fit
default_role = "code"
autodoc_typehints = "description"  # beside what each argument means; signatures stay short
autodoc_typehints_format = "short"
autodoc_typehints_description_target = "documented"
autodoc_inherit_docstrings = False  # each class says what is its own, and where the rest is described
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"  # methods are below their class already; the list of a page is narrow
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # attributes in one list, not each as an entry of its own

# --- what it looks like ---
EXAMPLES = (HERE / "../examples/gallery").resolve()
html_theme = "pydata_sphinx_theme"
html_title = "tokenfield"
html_static_path = ["_static"]
html_favicon = "_static/icon.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "tokenfield"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_prev_next": False,
    # pages of wide tables have no second column beside them, nor have examples: their headings are all the same
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        **{
            page: [] for page in ("index", "models", "claims", "reference/models", "reference/configs", "gallery/index")
        },
        **{f"gallery/{path.parent.name}/{path.stem}": [] for path in EXAMPLES.glob("*/plot_*.py")},
    },
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
html_sidebars = {"index": []}
