import { expect, test } from 'vitest'
import { installsOf, installsOfCell } from './installs.logic.ts'

test.each([
  ['pip install pandas-ta prophet', ['pip:pandas-ta', 'pip:prophet']],
  ['pip3 install --upgrade "Pandas_TA[extra]>=1,<2" 2>&1 | tail -3', ['pip:pandas-ta']],
  [
    'sudo -E python3.13 -m pip install -q --no-index /tmp/threadbox_example-1.0-py3-none-any.whl',
    ['pip:threadbox-example'],
  ],
  ['cd /tmp && uv pip install --index-url https://i.example.com polars > log.txt', ['pip:polars']],
  ['npm i -g @scope/tool@2 typescript@latest', ['npm:@scope/tool', 'npm:typescript']],
  [
    'DEBIAN_FRONTEND=noninteractive sudo apt-get update && sudo apt-get install -y -o A=b jq=1.7 tree:amd64',
    ['apt:jq', 'apt:tree'],
  ],
  ['apt-get -y install \\\n  jq \\\n  tree', ['apt:jq', 'apt:tree']],
  ['pip install a; pip install b\npip install a', ['pip:a', 'pip:b']],
] as const)('%s', (command, packages) => {
  expect(installsOf(command)).toEqual(packages)
})

test.each([
  'pip install -r requirements.txt',
  'pip install -e .',
  'pip install ./here git+https://h.example.com/p.git https://h.example.com/p.tar.gz',
  'pip uninstall pandas',
  'npm install left-pad',
  'npm i -g ./here',
  'apt-cache search jq',
  'echo pip install pandas',
  'true || pip install pandas',
  'uv add pandas',
  'sudo',
  '',
])('nothing that it names is installed by: %s', (command) => {
  expect(installsOf(command)).toEqual([])
})

test('shell lines of a cell count, code does not', () => {
  expect(installsOfCell('!pip install a\n  %pip install b\nx = 1 # pip install c\npip = "install"')).toEqual([
    ...['pip:a', 'pip:b'],
  ])
})
