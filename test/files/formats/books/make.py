"""Writes the workbooks of this folder, with two libraries that share nothing with ours.

They are kept as files so that the tests need no Python. To write them anew:
    pip install openpyxl XlsxWriter && python3 make.py FOLDER
XlsxWriter writes what Excel writes; openpyxl writes what most scripts write. LibreOffice 7.4 has made libreoffice.xlsx of
filter.xlsx: soffice --headless --convert-to xlsx
"""
import datetime
import os
import sys

import openpyxl
import xlsxwriter
from openpyxl.comments import Comment
from openpyxl.styles import PatternFill
from openpyxl.worksheet.table import Table

FOLDER = sys.argv[1]
HEADER = ["ABN", "Name", "Founded", "Size", "Twice"]
LEADS = [
    (51824753556, "Zoë & Söhne", datetime.date(2001, 2, 28), 12),
    (33051775556, "=Two", datetime.date(1999, 12, 31), 40),
    (53004085616, "Three", None, 7),
]


def place(name):
    return os.path.join(FOLDER, name)


def written(name):
    book = xlsxwriter.Workbook(place(name), {"strings_to_formulas": False})
    book.set_properties({"created": datetime.datetime(2026, 11, 2, 9, 30)})
    return book


def filtered():
    """Titles above, a filter, hidden columns to the right, and nearly all that Excel keeps around cells."""
    book = written("filter.xlsx")
    sheet = book.add_worksheet("Leads 2026")
    other = book.add_worksheet("Summary")
    bold = book.add_format({"bold": True, "bg_color": "#DDEEFF"})
    date = book.add_format({"num_format": "dd/mm/yyyy"})
    yellow = book.add_format({"bg_color": "#FFFF00"})
    sheet.merge_range("A1:E1", "Leads of the spring fair", bold)
    for column, name in enumerate(HEADER):
        sheet.write(3, column, name, bold)
    for row, (abn, name, founded, size) in enumerate(LEADS, 4):
        sheet.write_number(row, 0, abn)
        sheet.write_string(row, 1, name)
        if founded:
            sheet.write_datetime(row, 2, datetime.datetime.combine(founded, datetime.time()), date)
        sheet.write_number(row, 3, size)
        sheet.write_formula(row, 4, f"=D{row + 1}*2", None, size * 2)
    sheet.write_blank("F6", None, yellow)
    sheet.autofilter("A4:E7")
    sheet.set_column("B:B", 24)
    sheet.set_column("F:XFD", None, None, {"hidden": True})
    sheet.freeze_panes(4, 0)
    sheet.write_comment("B5", "Called twice")
    sheet.conditional_format("D5:D7", {"type": "cell", "criteria": ">", "value": 10, "format": bold})
    sheet.data_validation("D5:D7", {"validate": "integer", "criteria": ">", "value": 0})
    sheet.print_area("A1:E7")
    chart = book.add_chart({"type": "column"})
    chart.add_series({"values": "='Leads 2026'!$D$5:$D$7"})
    other.insert_chart("C3", chart)
    other.write_formula("A1", "=SUM('Leads 2026'!D5:D7)", None, 59)
    book.define_name("Sizes", "='Leads 2026'!$D$5:$D$7")
    book.close()


def tabled():
    """A table as Excel makes it, with a row of totals below it."""
    book = written("table.xlsx")
    sheet = book.add_worksheet("Leads")
    data = [[abn, name, size] for abn, name, _, size in LEADS]
    columns = [{"header": "ABN", "total_string": "Total"}, {"header": "Name"}, {"header": "Size", "total_function": "sum", "total_value": 59}]
    sheet.add_table("A1:C5", {"data": data, "name": "Leads", "columns": columns, "total_row": True})
    book.close()


def macros():
    """A workbook with macros; its program is none."""
    path = place("program.bin")
    with open(path, "wb") as file:
        file.write(bytes(range(256)))
    book = written("macros.xlsm")
    sheet = book.add_worksheet("Leads")
    for row, cells in enumerate([("ABN", "Name"), *(lead[:2] for lead in LEADS)]):
        sheet.write_row(row, 0, cells)
    book.add_vba_project(path)
    book.close()
    os.remove(path)


def scripted():
    """What a script writes: a table, a protected sheet, colours to the edge, cells without a shared list of texts."""
    book = openpyxl.Workbook()
    book.properties.created = book.properties.modified = datetime.datetime(2026, 11, 2, 9, 30)
    sheet = book.active
    sheet.title = "List"
    sheet.append(["ABN", "Name", "Founded"])
    for abn, name, founded, _ in LEADS:
        sheet.append([str(abn), name.lstrip("="), founded])
    for cell in sheet[2]:
        cell.fill = PatternFill("solid", fgColor="00FF99")
    sheet["D2"].fill = PatternFill("solid", fgColor="00FF99")
    sheet["B3"].comment = Comment("Called twice", "A")
    sheet.add_table(Table(displayName="List", ref="A1:C4"))
    sheet.protection.sheet = True
    book.create_sheet("Notes")["A1"] = "kept"
    book.save(place("script.xlsx"))


for make in (filtered, tabled, macros, scripted):
    make()
