import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { skillLimits } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { parseSkillFolder, parseSkillUpload } from './skill-intake.ts'
import { makeZip, skillText, type ZipPart } from './skill-zip.test-utils.ts'

const run = promisify(execFile)
const main = (name = 'tables') => ({ name: 'SKILL.md', content: skillText(name) })
const streamOf = (bytes: Uint8Array<ArrayBuffer> | string) => new Blob([bytes]).stream()
const zip = (parts: readonly ZipPart[], options?: Parameters<typeof makeZip>[1]) =>
  parseSkillUpload(streamOf(new Uint8Array(makeZip(parts, options))), 'application/zip')
const text = (content: string) => parseSkillUpload(streamOf(content), 'text/markdown; charset=utf-8')

async function codeOf(taken: Promise<unknown>): Promise<string> {
  return await taken.then(
    () => 'taken',
    (error: { code?: string; kind?: string }) =>
      error.kind === 'internal' ? 'internal' : (error.code ?? String(error)),
  )
}

const hostileZips: Record<string, [string, ZipPart[], Parameters<typeof makeZip>[1]?]> = {
  'a path that climbs up': ['skill.path-unsafe', [main(), { name: '../../etc/cron.d/x', content: 'x' }]],
  'a folder that climbs up': ['skill.path-unsafe', [main(), { name: 'a/../../b/', mode: 0o40755 }]],
  'an absolute path': ['skill.path-unsafe', [main(), { name: '/etc/passwd', content: 'x' }]],
  'a path of another system': ['skill.path-unsafe', [main(), { name: 'scripts\\run.bat', content: 'x' }]],
  'a path that climbs up in another system': ['skill.path-unsafe', [main(), { name: '..\\x', content: 'x' }]],
  'a step in place': ['skill.path-unsafe', [main(), { name: './scripts/x', content: 'x' }]],
  'an empty step': ['skill.path-unsafe', [main(), { name: 'scripts//x', content: 'x' }]],
  'a line break in a name': ['skill.path-unsafe', [main(), { name: 'a\nb', content: 'x' }]],
  'a NUL in a name': ['skill.path-unsafe', [main(), { name: 'a\0b', content: 'x' }]],
  'a very long name': ['skill.path-unsafe', [main(), { name: 'x'.repeat(300), content: 'x' }]],
  'very deep folders': ['skill.path-unsafe', [main(), { name: `${'d/'.repeat(40)}x`, content: 'x' }]],
  'a name twice': ['skill.path-unsafe', [main(), main('other')]],
  'a file that is also a folder': [
    'skill.path-unsafe',
    [main(), { name: 'a', content: 'x' }, { name: 'a/b', content: 'x' }],
  ],
  'a symbolic link': ['skill.link-refused', [main(), { name: 'key', content: '/root/.ssh/id_rsa', mode: 0o120777 }]],
  'a device': ['skill.link-refused', [main(), { name: 'disk', mode: 0o060666 }]],
  'a pipe': ['skill.link-refused', [main(), { name: 'pipe', mode: 0o010666 }]],
  'a name that is not text': ['skill.archive-invalid', [main(), { name: Buffer.from([0xc3, 0x28]), content: 'x' }]],
  'a password': ['skill.archive-invalid', [{ ...main(), flags: 0x0801 }]],
  'encryption of another kind': ['skill.archive-invalid', [{ ...main(), flags: 0x0841 }]],
  'a size that its content has not': ['skill.archive-invalid', [{ ...main(), says: { sizeBytes: 5 } }]],
  'an entry that begins in the directory': ['skill.archive-invalid', [{ ...main(), says: { offset: 100 } }]],
  'an unusual compression': ['skill.archive-invalid', [{ ...main(), method: 14 }]],
  'a wrong checksum': ['skill.archive-invalid', [{ ...main(), says: { checksum: 1 } }]],
  'an entry outside of the archive': ['skill.archive-invalid', [{ ...main(), says: { offset: 1_000_000 } }]],
  'more entries than there are': ['skill.archive-invalid', [main()], { count: 9 }],
  'very many entries': ['skill.too-many-files', [main()], { count: 60_000 }],
  'more than its directory says': [
    'skill.archive-invalid',
    [{ name: 'SKILL.md', content: Buffer.alloc(50_000_000), isDeflated: true, says: { sizeBytes: 100 } }],
  ],
  'a bomb that says so': [
    'skill.too-large',
    [main(), { name: 'zeros', content: Buffer.alloc(skillLimits.bytes + 1), isDeflated: true }],
  ],
  'many files that are together too large': [
    'skill.too-large',
    [
      main(),
      ...Array.from({ length: 20 }, (_, at) => ({ name: `${at}`, content: Buffer.alloc(1_000_000), isDeflated: true })),
    ],
  ],
  'no SKILL.md': ['skill.file-missing', [{ name: 'README.md', content: 'x' }]],
  'two skills': [
    'skill.file-missing',
    [
      { ...main('a'), name: 'a/SKILL.md' },
      { ...main('b'), name: 'b/SKILL.md' },
    ],
  ],
  'a folder of another name': ['skill.folder-differs', [{ ...main('tables'), name: 'charts/SKILL.md' }]],
  nothing: ['skill.file-missing', []],
}

test.each(Object.entries(hostileZips))(
  'G6: a zip with %s is rejected with its reason',
  async (_, [code, parts, options]) => {
    expect(await codeOf(zip(parts, options))).toBe(code)
  },
)

test('G6: a zip bomb costs neither memory nor time', async () => {
  const bomb = makeZip([
    main(),
    { name: 'zeros', content: Buffer.alloc(500_000_000), isDeflated: true, says: { sizeBytes: 9 } },
  ])
  expect(bomb.length).toBeLessThan(600_000)
  const before = process.memoryUsage().rss
  expect(await codeOf(parseSkillUpload(streamOf(new Uint8Array(bomb)), 'application/zip'))).toBe(
    'skill.archive-invalid',
  )
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
})

test('G6: an upload that is not a zip, is cut off, or is of an unknown type is rejected', async () => {
  const whole = makeZip([main()])
  for (const part of [0, 10, whole.length / 2, whole.length - 1]) {
    const cut = new Uint8Array(whole.subarray(0, Math.floor(part)))
    expect(await codeOf(parseSkillUpload(streamOf(cut), 'application/zip'))).toBe('skill.archive-invalid')
  }
  expect(await codeOf(parseSkillUpload(streamOf('x'), 'application/x-tar'))).toBe('skill.type-unsupported')
  expect(await codeOf(parseSkillUpload(null, ''))).toBe('skill.type-unsupported')
  expect(await codeOf(parseSkillUpload(streamOf('x'), 'multipart/form-data'))).toBe('skill.archive-invalid')
  expect(await codeOf(parseSkillUpload(streamOf('x'), 'multipart/form-data; boundary=a'))).toBe('skill.archive-invalid')
})

test('G6: an endless body is canceled at the size limit of a skill', async () => {
  let sent = 0
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1_000_000
      controller.enqueue(new Uint8Array(1_000_000))
    },
  })
  expect(await codeOf(parseSkillUpload(endless, 'application/zip'))).toBe('skill.too-large')
  expect(sent).toBeLessThan(skillLimits.bytes * 2)
})

test('G6: zips of an ordinary program are accepted, with or without the folder; executable files stay executable', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-skill-'))
  const folder = join(directory, 'tables')
  await mkdir(join(folder, 'scripts'), { recursive: true })
  await mkdir(join(folder, '.git'))
  await writeFile(join(folder, 'SKILL.md'), skillText('tables'))
  await writeFile(join(folder, '.git/config'), 'x')
  await writeFile(join(folder, 'scripts/run.sh'), 'echo ok\n', { mode: 0o755 })
  await writeFile(join(folder, 'scripts/shebang.py'), '#!/usr/bin/env python3\n')
  await writeFile(join(folder, 'Grüße.txt'), 'ä'.repeat(5000))
  const pack = async (root: string, what: string) => {
    const target = join(directory, 'out.zip')
    await run('python3', ['-m', 'zipfile', '-c', target, what], { cwd: root })
    return new Uint8Array(await readFile(target))
  }
  for (const archive of [await pack(directory, 'tables')]) {
    const skill = await parseSkillUpload(streamOf(archive), 'application/zip')
    expect(skill).toMatchObject({ name: 'tables', description: 'Does tables.', license: null })
    expect(skill.files.map(({ path, isExecutable }) => [path, isExecutable]).toSorted()).toEqual([
      ['Grüße.txt', false],
      ['SKILL.md', false],
      ['scripts/run.sh', true],
      ['scripts/shebang.py', true],
    ])
    expect(new TextDecoder().decode(skill.files.find(({ path }) => path === 'Grüße.txt')?.content)).toHaveLength(5000)
  }
  await rm(directory, { recursive: true })
  const flat = await zip([main(), { name: '__MACOSX/._SKILL.md', content: 'x' }, { name: 'assets/', mode: 0o40755 }])
  expect(flat.files.map(({ path }) => path)).toEqual(['SKILL.md'])
  expect(await zip([main()], { comment: 'packed by hand' })).toMatchObject({ name: 'tables' })
})

test('G6: a folder from a sandbox must have the name of its skill', async () => {
  const archive = () => streamOf(new Uint8Array(makeZip([main()])))
  expect(await parseSkillFolder(archive(), 'tables')).toMatchObject({ name: 'tables' })
  expect(await codeOf(parseSkillFolder(archive(), 'charts'))).toBe('skill.folder-differs')
})

test('G6: the files of a folder can be sent as a form, each under its path', async () => {
  const form = new FormData()
  form.append('tables/SKILL.md', new Blob([skillText('tables')]), 'file')
  form.append('tables/assets/a "b".txt', new Blob(['x']), 'file')
  const sent = new Response(form)
  const skill = await parseSkillUpload(sent.body, sent.headers.get('content-type') ?? '')
  expect(skill.files.map(({ path }) => path)).toEqual(['SKILL.md', 'assets/a "b".txt'])
  const bad = new FormData()
  bad.append('SKILL.md', new Blob([skillText('tables')]), 'file')
  bad.append('../x', 'x')
  const refused = new Response(bad)
  expect(await codeOf(parseSkillUpload(refused.body, refused.headers.get('content-type') ?? ''))).toBe(
    'skill.path-unsafe',
  )
})

const header = (lines: string) => `---\n${lines}\n---\nText`
const badHeaders: Record<string, [string, string]> = {
  'no front matter': ['# Only a title', 'skill.front-matter-invalid'],
  'a blank line before it': ['\n---\nname: a\ndescription: b\n---\n', 'skill.front-matter-invalid'],
  'an unfinished front matter': ['---\nname: a\ndescription: b\n', 'skill.front-matter-invalid'],
  'nothing in it': ['---\n---\n', 'skill.front-matter-invalid'],
  'no name': [header('description: b'), 'skill.front-matter-invalid'],
  'no description': [header('name: a'), 'skill.front-matter-invalid'],
  'an empty description': [header('name: a\ndescription: "  "'), 'skill.description-invalid'],
  'a description of 1025 characters': [
    header(`name: a\ndescription: ${'x'.repeat(1025)}`),
    'skill.description-invalid',
  ],
  'a description that is a list': [header('name: a\ndescription: [b]'), 'skill.front-matter-invalid'],
  'a name that is a number': [header('name: 5\ndescription: b'), 'skill.front-matter-invalid'],
  'a name twice': [header('name: a\nname: b\ndescription: c'), 'skill.front-matter-invalid'],
  'a list': [header('- name: a'), 'skill.front-matter-invalid'],
  'a text': [header('just a text'), 'skill.front-matter-invalid'],
  'YAML that does not parse': [header('name: a\ndescription: Use when: asked'), 'skill.front-matter-invalid'],
  'copies of copies': [
    header('a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\nname: n\ndescription: d'),
    'skill.front-matter-invalid',
  ],
  'a type of its own': [header('name: a\ndescription: b\nmetadata: !!js/function "x"'), 'skill.front-matter-invalid'],
  'very deep lists': [header(`name: a\ndescription: b\nmetadata: ${'['.repeat(8000)}`), 'skill.front-matter-invalid'],
  'a very long front matter': [
    header(`name: a\ndescription: b\n${'# x\n'.repeat(9000)}`),
    'skill.front-matter-invalid',
  ],
  'metadata that is a text': [header('name: a\ndescription: b\nmetadata: x'), 'skill.front-matter-invalid'],
  'a compatibility of 501 characters': [
    header(`name: a\ndescription: b\ncompatibility: ${'x'.repeat(501)}`),
    'skill.front-matter-invalid',
  ],
  'a NUL': [`${header('name: a\ndescription: b')}\0`, 'skill.front-matter-invalid'],
}

test.each(Object.entries(badHeaders))(
  'G6: a SKILL.md with %s is rejected with its reason',
  async (_, [content, code]) => {
    expect(await codeOf(text(content))).toBe(code)
  },
)

test('G6: a SKILL.md that is not UTF-8 is rejected', async () => {
  expect(await codeOf(parseSkillUpload(streamOf(new Uint8Array([0xff, 0xfe, 0x2d])), 'text/markdown'))).toBe(
    'skill.front-matter-invalid',
  )
})

test.each([
  '',
  'PDF-Processing',
  '-pdf',
  'pdf-',
  'pdf--processing',
  'p_d_f',
  'pdf processing',
  'ü',
  '../x',
  'x'.repeat(65),
])('G6: %j is not the name of a skill', async (name) => {
  expect(await codeOf(text(header(`name: ${JSON.stringify(name)}\ndescription: b`)))).toBe('skill.name-invalid')
})

test('G6: everything that the format allows is read, and unknown fields are ignored', async () => {
  const skill = await text(
    '\uFEFF---\r\nname: pdf-processing\r\ndescription: >-\r\n  Extracts text\r\n  from PDF files.\r\nlicense: Apache-2.0\r\n' +
      'compatibility: Requires git\r\nallowed-tools: Bash(git:*) Read\r\nmetadata:\r\n  author: example\r\n  version: 1.0\r\nother: [1]\r\n---\r\nText',
  )
  expect(skill).toMatchObject({
    name: 'pdf-processing',
    description: 'Extracts text from PDF files.',
    license: 'Apache-2.0',
    compatibility: 'Requires git',
  })
  const longest = await text(header(`name: ${'a'.repeat(64)}\ndescription: ${'x'.repeat(1024)}\nallowed-tools: [Read]`))
  expect(longest.name).toHaveLength(64)
  expect(await text('---\nname: a\ndescription: b\n---')).toMatchObject({ name: 'a' })
})
