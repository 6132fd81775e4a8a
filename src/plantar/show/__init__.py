"""Visual output: pictures, plots and reports."""

from plantar.show.picture import render as render
from plantar.show.plots import COLOURS as COLOURS
from plantar.show.plots import figure as figure
from plantar.show.plots import house_style as house_style
from plantar.show.plots import save as save
from plantar.show.report import Section as Section
from plantar.show.report import write_report as write_report
from plantar.show.view import VIEWS as VIEWS
from plantar.show.view import View as View
