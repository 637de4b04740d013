"""Does one real thing with every Python package of the image and prints one JSON line for each:
{"package": ..., "ok": ..., "seconds": ..., "error": ...}. Exit status 1 when one fails. Needs no network.
Arguments: names of packages to probe; without any, all of them."""

import json
import os
import sys
import tempfile
import time
import traceback

PROBES = {
    # data
    "numpy": "import numpy as np; assert np.linalg.solve([[2., 0], [0, 4]], [2, 8]).tolist() == [1, 2]",
    "pandas": """
import pandas as pd
frame = pd.DataFrame({'city': ['A', 'B', 'A'], 'sales': [1, 2, 3]})
assert frame.groupby('city').sales.sum().to_dict() == {'A': 4, 'B': 2}
""",
    "polars": """
import polars as pl
frame = pl.DataFrame({'city': ['A', 'B', 'A'], 'sales': [1, 2, 3]}).lazy()
assert frame.group_by('city').agg(pl.col('sales').sum()).sort('city').collect()['sales'].to_list() == [4, 2]
""",
    "scipy": "from scipy.optimize import brentq; assert abs(brentq(lambda x: x * x - 2, 0, 2) - 2 ** .5) < 1e-9",
    "scikit-learn": """
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
x, y = load_iris(return_X_y=True)
assert LogisticRegression(max_iter=500).fit(x, y).score(x, y) > 0.9
""",
    "statsmodels": """
import numpy as np, statsmodels.api as sm
x = np.arange(10.)
fit = sm.OLS(3 * x + 1, sm.add_constant(x)).fit()
assert np.allclose(fit.params, [1, 3])
""",
    "sympy": "import sympy as s; x = s.Symbol('x'); assert s.integrate(2 * x, x) == x ** 2",
    "networkx": "import networkx as nx; assert nx.shortest_path(nx.path_graph(4), 0, 3) == [0, 1, 2, 3]",
    "numexpr": "import numpy as np, numexpr; a = np.arange(3); assert numexpr.evaluate('a * 2 + 1').tolist() == [1, 3, 5]",
    "bottleneck": "import bottleneck as bn, numpy as np; assert bn.nanmean(np.array([1, np.nan, 3])) == 2",
    "xarray": """
import xarray as xr
array = xr.DataArray([[1, 2], [3, 4]], dims=('y', 'x'))
assert array.sum('y').values.tolist() == [4, 6]
""",
    "pyarrow": """
import pyarrow as pa, pyarrow.parquet as pq
pq.write_table(pa.table({'n': [1, 2, 3]}), 'numbers.parquet')
assert pq.read_table('numbers.parquet')['n'].to_pylist() == [1, 2, 3]
""",
    "duckdb": "import duckdb; assert duckdb.sql('select sum(range) from range(5)').fetchall() == [(10,)]",
    "joblib": "from joblib import Parallel, delayed; assert Parallel(n_jobs=1)(delayed(pow)(n, 2) for n in range(3)) == [0, 1, 4]",
    "tabulate": "from tabulate import tabulate; assert tabulate([[1]], headers=['a'], tablefmt='github').endswith('|   1 |')",
    # plotting
    "matplotlib": """
import matplotlib; matplotlib.use('Agg')
import matplotlib.pyplot as plt
plt.plot([1, 3, 2]); plt.title('Sales'); plt.savefig('chart.png')
assert open('chart.png', 'rb').read(8) == b'\\x89PNG\\r\\n\\x1a\\n'
""",
    "seaborn": """
import matplotlib; matplotlib.use('Agg')
import seaborn as sns
assert len(sns.barplot(x=['a', 'b'], y=[1, 2]).patches) == 2
""",
    "plotly": "import plotly.express as px; assert 'plotly' in px.line(x=[1, 2], y=[3, 4]).to_html(include_plotlyjs=False)",
    "altair": """
import altair as alt, pandas as pd
chart = alt.Chart(pd.DataFrame({'a': [1], 'b': [2]})).mark_bar().encode(x='a', y='b')
assert chart.to_dict()['mark']['type'] == 'bar'
""",
    "bokeh": """
from bokeh.embed import json_item
from bokeh.plotting import figure
plot = figure(); plot.line([1, 2], [3, 4])
assert json_item(plot)['doc']
""",
    "wordcloud": "from wordcloud import WordCloud; assert WordCloud().generate('thread box thread').words_['thread'] == 1",
    "qrcode": "import qrcode; qrcode.make('threadbox').save('code.png'); assert open('code.png', 'rb').read(4) == b'\\x89PNG'",
    # documents
    "openpyxl": """
import openpyxl
book = openpyxl.Workbook(); book.active['A1'] = 42; book.save('book.xlsx')
assert openpyxl.load_workbook('book.xlsx').active['A1'].value == 42
""",
    "xlsxwriter": """
import xlsxwriter, openpyxl
book = xlsxwriter.Workbook('written.xlsx'); book.add_worksheet().write('A1', 'x'); book.close()
assert openpyxl.load_workbook('written.xlsx').active['A1'].value == 'x'
""",
    "xlrd": """
import xlrd
try: xlrd.open_workbook(file_contents=b'no workbook')
except xlrd.XLRDError as error: assert 'Expected BOF record' in str(error)
else: raise AssertionError('accepted nonsense')
""",
    "odfpy": """
from odf.opendocument import OpenDocumentText, load
from odf.text import P
document = OpenDocumentText(); document.text.addElement(P(text='hello')); document.save('text.odt')
assert str(load('text.odt').getElementsByType(P)[0]) == 'hello'
""",
    "python-docx": """
import docx
document = docx.Document(); document.add_paragraph('hello'); document.save('letter.docx')
assert docx.Document('letter.docx').paragraphs[0].text == 'hello'
""",
    "python-pptx": """
from pptx import Presentation
deck = Presentation(); deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = 'hello'; deck.save('deck.pptx')
assert Presentation('deck.pptx').slides[0].shapes.title.text == 'hello'
""",
    "pypdf": """
import pypdf
writer = pypdf.PdfWriter(); writer.add_blank_page(100, 100); writer.write('blank.pdf')
assert len(pypdf.PdfReader('blank.pdf').pages) == 1
""",
    "pdfplumber": """
import pdfplumber
from reportlab.pdfgen.canvas import Canvas
canvas = Canvas('plumbed.pdf'); canvas.drawString(72, 720, 'hello'); canvas.save()
with pdfplumber.open('plumbed.pdf') as pdf: assert pdf.pages[0].extract_text() == 'hello'
""",
    "reportlab": """
from reportlab.platypus import Paragraph, SimpleDocTemplate
from reportlab.lib.styles import getSampleStyleSheet
SimpleDocTemplate('report.pdf').build([Paragraph('hello', getSampleStyleSheet()['Normal'])])
assert open('report.pdf', 'rb').read(5) == b'%PDF-'
""",
    "fpdf2": """
from fpdf import FPDF
pdf = FPDF(); pdf.add_page(); pdf.set_font('helvetica'); pdf.cell(text='hello')
assert bytes(pdf.output())[:5] == b'%PDF-'
""",
    "markdown": "import markdown; assert markdown.markdown('# a') == '<h1>a</h1>'",
    "markdownify": "from markdownify import markdownify; assert markdownify('<b>a</b>') == '**a**'",
    "html2text": "import html2text; assert html2text.html2text('<h1>a</h1>').strip() == '# a'",
    "mistune": "import mistune; assert mistune.html('*a*').strip() == '<p><em>a</em></p>'",
    "python-frontmatter": "import frontmatter; assert frontmatter.loads('---\\na: 1\\n---\\ntext')['a'] == 1",
    "ebooklib": """
from ebooklib import epub
book = epub.EpubBook(); book.set_title('T'); book.set_identifier('i'); book.set_language('en')
chapter = epub.EpubHtml(title='C', file_name='c.xhtml', content='<p>hello</p>'); book.add_item(chapter)
book.spine = [chapter]; book.toc = [chapter]; book.add_item(epub.EpubNcx()); epub.write_epub('book.epub', book)
assert epub.read_epub('book.epub').title == 'T'
""",
    "icalendar": """
from icalendar import Calendar, Event
event = Event(); event.add('summary', 'Meeting'); calendar = Calendar(); calendar.add_component(event)
assert b'SUMMARY:Meeting' in calendar.to_ical()
""",
    "vobject": "import vobject; card = vobject.vCard(); card.add('fn').value = 'Ada'; card.add('n'); assert 'FN:Ada' in card.serialize()",
    # images
    "pillow": """
from PIL import Image
Image.new('RGB', (4, 4), 'red').resize((2, 2)).save('red.png')
assert Image.open('red.png').getpixel((0, 0)) == (255, 0, 0)
""",
    "imageio": """
import imageio.v3 as iio, numpy as np
iio.imwrite('black.png', np.zeros((2, 3, 3), dtype='uint8'))
assert iio.imread('black.png').shape == (2, 3, 3)
""",
    "svgwrite": "import svgwrite; d = svgwrite.Drawing(); d.add(d.circle(r=3)); assert '<circle' in d.tostring()",
    "colorama": "from colorama import Fore; assert Fore.RED == '\\x1b[31m'",
    # web
    "requests": """
import requests
with serving(b'hello') as url: assert requests.get(url, timeout=10).text == 'hello'
""",
    "httpx": """
import httpx
with serving(b'hello') as url: assert httpx.get(url, trust_env=False).text == 'hello'
""",
    "aiohttp": """
import aiohttp, asyncio
async def fetch(url):
    async with aiohttp.ClientSession() as session, session.get(url) as response: return await response.text()
with serving(b'hello') as url: assert asyncio.run(fetch(url)) == 'hello'
""",
    "urllib3": """
import urllib3
with serving(b'hello') as url: assert urllib3.PoolManager().request('GET', url).data == b'hello'
""",
    "websockets": """
import asyncio, websockets
async def echo(socket):
    async for message in socket: await socket.send(message)
async def main():
    async with websockets.serve(echo, '127.0.0.1', 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with websockets.connect(f'ws://127.0.0.1:{port}', proxy=None) as socket:
            await socket.send('hello'); return await socket.recv()
assert asyncio.run(main()) == 'hello'
""",
    "flask": """
import flask
app = flask.Flask('probe'); app.route('/')(lambda: 'hello')
assert app.test_client().get('/').text == 'hello'
""",
    "fastapi": """
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
app = FastAPI()
@app.get('/items/{number}')
def item(number: int): return {'number': number}
assert '/items/{number}' in get_openapi(title='t', version='1', routes=app.routes)['paths']
""",
    "uvicorn": """
import threading, urllib.request, uvicorn
async def app(scope, receive, send):
    await send({'type': 'http.response.start', 'status': 200, 'headers': []})
    await send({'type': 'http.response.body', 'body': b'hello'})
server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan='off', log_level='critical'))
thread = threading.Thread(target=server.run); thread.start()
deadline = time.monotonic() + 20
while not server.started and time.monotonic() < deadline: time.sleep(0.02)
port = server.servers[0].sockets[0].getsockname()[1]
assert urllib.request.urlopen(f'http://127.0.0.1:{port}').read() == b'hello'
server.should_exit = True; thread.join()
""",
    "starlette": """
from starlette.responses import JSONResponse
assert JSONResponse({'a': 1}).body == b'{"a":1}'
""",
    "streamlit": """
from streamlit.testing.v1 import AppTest
app = AppTest.from_string("import streamlit as st\\nst.title('hello')").run(timeout=60)
assert app.title[0].value == 'hello'
""",
    "jinja2": "import jinja2; assert jinja2.Template('{{ a|upper }}').render(a='x') == 'X'",
    "werkzeug": "from werkzeug.security import check_password_hash as c, generate_password_hash as g; assert c(g('a', 'pbkdf2:sha256:10'), 'a')",
    "itsdangerous": "from itsdangerous import Signer; s = Signer('k'); assert s.unsign(s.sign('a')) == b'a'",
    "python-multipart": "from python_multipart.multipart import parse_options_header as p; assert p(b'form-data; name=\"a\"')[1] == {b'name': b'a'}",
    # scraping
    "beautifulsoup4": "from bs4 import BeautifulSoup; assert BeautifulSoup('<p class=a>x</p>', 'lxml').select_one('p.a').text == 'x'",
    "lxml": "from lxml import etree; assert etree.fromstring('<a><b>x</b></a>').xpath('string(//b)') == 'x'",
    "html5lib": "import html5lib; assert html5lib.parse('<p>x', namespaceHTMLElements=False).find('.//p').text == 'x'",
    "cssselect": "from cssselect import GenericTranslator; assert 'descendant-or-self::p' in GenericTranslator().css_to_xpath('p')",
    "parsel": "from parsel import Selector; assert Selector('<p>x</p>').css('p::text').get() == 'x'",
    "selectolax": "from selectolax.lexbor import LexborHTMLParser as P; assert P('<p>x</p>').css_first('p').text() == 'x'",
    "feedparser": """
import feedparser
feed = feedparser.parse('<rss version="2.0"><channel><title>T</title><item><title>x</title></item></channel></rss>')
assert feed.entries[0].title == 'x'
""",
    "trafilatura": """
import trafilatura
page = '<html><body><article><h1>Title</h1><p>' + 'A long paragraph of real text about tea. ' * 20 + '</p></article></body></html>'
assert 'about tea' in trafilatura.extract(page)
""",
    "tldextract": "import tldextract; assert tldextract.TLDExtract(suffix_list_urls=())('www.example.co.uk').domain == 'example'",
    # databases
    "sqlalchemy": """
from sqlalchemy import create_engine, text
with create_engine('sqlite://').connect() as connection: assert connection.execute(text('select 1 + 1')).scalar() == 2
""",
    "alembic": """
from alembic.migration import MigrationContext
from alembic.operations import Operations
import sqlalchemy as sa
with sa.create_engine('sqlite://').connect() as connection:
    Operations(MigrationContext.configure(connection)).create_table('t', sa.Column('id', sa.Integer))
    assert sa.inspect(connection).get_table_names() == ['t']
""",
    "psycopg": """
import psycopg
from psycopg import sql
assert psycopg.pq.__impl__ == 'binary' and psycopg.conninfo.conninfo_to_dict('host=a dbname=b') == {'host': 'a', 'dbname': 'b'}
assert sql.SQL('select {}').format(sql.Literal("it's")).as_string(None) == "select 'it''s'"
""",
    "pymysql": "from pymysql.converters import escape_string; assert escape_string(\"it's\") == \"it\\\\'s\"",
    "redis": "import redis; assert redis.Redis.from_url('redis://h:1/2').connection_pool.connection_kwargs['db'] == 2",
    "pymongo": "import bson, pymongo; assert bson.decode(bson.encode({'a': 1})) == {'a': 1} and pymongo.has_c()",
    "peewee": """
import peewee
database = peewee.SqliteDatabase(':memory:')
class Note(peewee.Model):
    text = peewee.TextField()
    class Meta: database = database
database.create_tables([Note]); Note.create(text='x')
assert Note.get().text == 'x'
""",
    "sqlite-utils": """
import sqlite_utils
database = sqlite_utils.Database(memory=True); database['t'].insert({'a': 1})
assert list(database['t'].rows) == [{'a': 1}]
""",
    "tinydb": "import tinydb; d = tinydb.TinyDB('tiny.json'); d.insert({'a': 1}); assert d.all() == [{'a': 1}]",
    "aiosqlite": """
import aiosqlite, asyncio
async def main():
    async with aiosqlite.connect(':memory:') as database:
        async with database.execute('select 2') as cursor: return await cursor.fetchone()
assert asyncio.run(main()) == (2,)
""",
    # formats
    "pyyaml": "import yaml; assert yaml.safe_load('a: [1, 2]') == {'a': [1, 2]}",
    "tomli-w": "import tomli_w, tomllib; assert tomllib.loads(tomli_w.dumps({'a': {'b': 1}})) == {'a': {'b': 1}}",
    "orjson": "import orjson; assert orjson.loads(orjson.dumps({'a': 1})) == {'a': 1}",
    "msgpack": "import msgpack; assert msgpack.unpackb(msgpack.packb({'a': 1})) == {'a': 1}",
    "jsonschema": """
import jsonschema
try: jsonschema.validate('x', {'type': 'number'})
except jsonschema.ValidationError as error: assert "is not of type 'number'" in str(error)
else: raise AssertionError('accepted a string for a number')
""",
    "xmltodict": "import xmltodict; assert xmltodict.parse('<a><b>1</b></a>') == {'a': {'b': '1'}}",
    "pydantic": """
import pydantic
class Model(pydantic.BaseModel): number: int
assert Model.model_validate({'number': '3'}).number == 3
""",
    "protobuf": """
from google.protobuf.struct_pb2 import Struct
message = Struct(); message['a'] = 1
assert Struct.FromString(message.SerializeToString())['a'] == 1
""",
    "chardet": "import chardet; assert chardet.detect('naïve café'.encode('utf-8') * 5)['encoding'] == 'utf-8'",
    # text
    "regex": "import regex; assert regex.findall(r'\\p{Lu}', 'aÄB') == ['Ä', 'B']",
    "rapidfuzz": "from rapidfuzz import process; assert process.extractOne('thred', ['box', 'thread'])[0] == 'thread'",
    "nltk": "from nltk.stem import PorterStemmer; assert PorterStemmer().stem('running') == 'run'",
    "tiktoken": """
import tiktoken
ranks = {bytes([n]): n for n in range(256)} | {b'ab': 256}
coding = tiktoken.Encoding('probe', pat_str=r'\\w+', mergeable_ranks=ranks, special_tokens={})
assert coding.encode('ab') == [256] and coding.decode([256]) == 'ab'
""",
    "faker": "from faker import Faker; Faker.seed(1); assert '@' in Faker().email()",
    "babel": "from babel.numbers import format_decimal; assert format_decimal(1234.5, locale='de') == '1.234,5'",
    "unidecode": "from unidecode import unidecode; assert unidecode('café') == 'cafe'",
    "python-slugify": "from slugify import slugify; assert slugify('A thread & a box') == 'a-thread-a-box'",
    # time
    "python-dateutil": "from dateutil.parser import parse; assert parse('3 March 2026').month == 3",
    "pytz": "import datetime, pytz; assert pytz.timezone('Asia/Tokyo').utcoffset(datetime.datetime(2026, 1, 1)).seconds == 32400",
    "tzdata": "import importlib.resources as r; assert r.files('tzdata.zoneinfo').joinpath('UTC').read_bytes()[:4] == b'TZif'",
    "arrow": "import arrow; assert arrow.get('2026-01-31').shift(months=1).format('YYYY-MM-DD') == '2026-02-28'",
    "pendulum": "import pendulum; assert pendulum.datetime(2026, 1, 1).add(days=1).day == 2",
    "holidays": "import holidays; assert '2026-12-25' in holidays.country_holidays('US')",
    "croniter": "import datetime, croniter; assert croniter.croniter('0 5 * * *', datetime.datetime(2026, 1, 1)).get_next(datetime.datetime).hour == 5",
    # development
    "ipykernel": """
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name='python3', startup_timeout=60)
client.execute_interactive('value = 6 * 7', timeout=60)
reply = client.execute('', user_expressions={'v': 'value'}, reply=True, timeout=60)
assert reply['content']['user_expressions']['v']['data']['text/plain'] == '42'
client.stop_channels(); manager.shutdown_kernel(now=True)
""",
    "ipython": """
from IPython.core.interactiveshell import InteractiveShell
assert InteractiveShell.instance().run_cell('6 * 7').result == 42
""",
    "jupyter-client": "from jupyter_client.kernelspec import KernelSpecManager; assert 'python3' in KernelSpecManager().find_kernel_specs()",
    "dill": "import dill; assert dill.loads(dill.dumps(lambda n: n + 1))(1) == 2",
    "cloudpickle": "import cloudpickle, pickle; k = 5; assert pickle.loads(cloudpickle.dumps(lambda n: n + k))(1) == 6",
    "pytest": """
import pytest
open('test_probe.py', 'w').write('def test_one(): assert 1 + 1 == 2')
assert pytest.main(['-q', '-p', 'no:cacheprovider', '--no-header', '-s', 'test_probe.py'], plugins=[]) == 0
""",
    "ruff": "run(['ruff', 'check', '--isolated', '--no-cache', '-'], input='import os\\n', status=1, expect='F401')",
    "black": "import black; assert black.format_str('x = { }', mode=black.Mode()) == 'x = {}\\n'",
    "mypy": "run(['mypy', '--cache-dir=/dev/null', '-c', 'n: int = \"x\"'], status=1, expect='Incompatible types')",
    "rich": """
import io, rich.console, rich.table
output = io.StringIO(); table = rich.table.Table('a'); table.add_row('x')
rich.console.Console(file=output).print(table)
assert 'x' in output.getvalue()
""",
    "typer": """
import typer
from typer.testing import CliRunner
app = typer.Typer()
@app.command()
def hello(name: str): print(f'hello {name}')
assert CliRunner().invoke(app, ['Ada']).output == 'hello Ada\\n'
""",
    "click": """
import click
from click.testing import CliRunner
@click.command()
@click.option('--times', type=int)
def repeat(times): click.echo('x' * times)
assert CliRunner().invoke(repeat, ['--times', '3']).output == 'xxx\\n'
""",
    "tqdm": "import io; from tqdm import tqdm; o = io.StringIO(); list(tqdm(range(3), file=o)); assert '3/3' in o.getvalue()",
    "tenacity": """
import tenacity
calls = []
@tenacity.retry(stop=tenacity.stop_after_attempt(3))
def flaky(): calls.append(1); return 1 / (len(calls) - 1)
assert flaky() == 1 and len(calls) == 2
""",
    "python-dotenv": "import io, dotenv; assert dotenv.dotenv_values(stream=io.StringIO('A=1')) == {'A': '1'}",
    "psutil": "import os, psutil; assert psutil.Process().pid == os.getpid() and psutil.virtual_memory().total > 0",
    "watchdog": """
import threading
from watchdog.events import FileSystemEventHandler
from watchdog.observers.polling import PollingObserver
seen = threading.Event()
handler = FileSystemEventHandler(); handler.on_created = lambda event: seen.set()
observer = PollingObserver(timeout=0.1); observer.schedule(handler, '.'); observer.start()
open('watched.txt', 'w').close()
assert seen.wait(20); observer.stop(); observer.join()
""",
    "cryptography": "from cryptography.fernet import Fernet as F; f = F(F.generate_key()); assert f.decrypt(f.encrypt(b'a')) == b'a'",
    "setuptools": "import setuptools; os.mkdir('pkg'); open('pkg/__init__.py', 'w').close(); assert setuptools.find_packages() == ['pkg']",
    "wheel": "run([sys.executable, '-m', 'wheel', 'version'], expect='wheel')",
    "pip": "run(['pip', 'show', 'numpy'], expect='Name: numpy')",
    "uv": "run(['uv', 'pip', 'show', 'numpy'], expect='Name: numpy')",
}


class serving:
    """A loopback HTTP server that answers everything with the same body, for as long as the block runs."""

    def __init__(self, body):
        import http.server
        import threading

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return f"http://127.0.0.1:{self.server.server_port}/"

    def __exit__(self, *_):
        self.server.shutdown()


def run(command, *, input=None, status=0, expect=""):
    import subprocess

    done = subprocess.run(command, input=input, capture_output=True, text=True)
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    assert expect in done.stdout + done.stderr, (done.stdout, done.stderr)


def probe(name, code):
    started = time.monotonic()
    error = None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec(compile(code, name, "exec"), {"__name__": "probe", "serving": serving, "run": run, "os": os, "sys": sys, "time": time})
        except BaseException:
            error = traceback.format_exc(limit=-3)
        os.chdir("/")
    return {"package": name, "ok": error is None, "seconds": round(time.monotonic() - started, 3), "error": error}


def main():
    # Probes may print; only the result lines go to the real standard output.
    results = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    os.environ["no_proxy"] = "127.0.0.1,localhost"
    chosen = sys.argv[1:] or list(PROBES)
    failed = 0
    for name in chosen:
        outcome = probe(name, PROBES[name])
        failed += not outcome["ok"]
        results.write(json.dumps(outcome) + "\n")
    results.close()
    os._exit(1 if failed else 0)


main()
