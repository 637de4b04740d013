import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

const home = '/home/user'
const identity = 'git config --global user.email somebody@example.com && git config --global user.name Somebody'

let installation: TestInstallation
let thread: TestThread
beforeAll(async () => {
  installation = await startInstallation()
  thread = await installation.newThread()
  await inside(identity)
})
afterAll(() => installation?.[Symbol.asyncDispose]())

const git = () => installation.client.git
const stateNow = async () => (await installation.client.threads.get(thread.id)).sandbox.state
/** Runs a script in the sandbox, which has to succeed. */
async function inside(script: string): Promise<string> {
  const { calls } = await thread.say(`/run ${script}`)
  expect(calls[0], calls[0]?.output.tail).toMatchObject({ status: 'succeeded' })
  return calls[0]?.output.tail ?? ''
}
const tree = async (path: string) => (await git().look(thread.id, path)).tree
const diff = (root: string, file: string, from?: string) =>
  git().diff(thread.id, { path: root, file, ...(from === undefined ? {} : { from }) })

test('a thread without a sandbox, a missing folder and a file are each reported as such', async () => {
  const fresh = await installation.newThread()
  await expect(git().look(fresh.id, home)).rejects.toMatchObject({ code: 'sandbox.not-awake' })
  expect((await installation.client.threads.get(fresh.id)).sandbox.state).toBe('fresh')
  await expect(git().look(thread.id, '/none')).rejects.toMatchObject({ code: 'file.not-found' })
  await expect(git().look(thread.id, '/etc/passwd')).rejects.toMatchObject({ code: 'file.refused' })
  await inside('mkdir -p ~/plain')
  expect(await git().look(thread.id, `${home}/plain`)).toEqual({ repositories: [], areAllFound: true, tree: null })
  await expect(diff(`${home}/plain`, 'a.txt')).rejects.toMatchObject({ code: 'git.failed' })
})

test('a tree is reported before its first commit, on a branch, and on none', async () => {
  await inside('git init -q -b main ~/young && cd ~/young && echo one > staged && git add staged && echo two > loose')
  expect(await tree(`${home}/young`)).toMatchObject({
    root: `${home}/young`,
    branch: 'main',
    commit: null,
    upstream: null,
    files: [
      { path: 'loose', change: 'untracked' },
      { path: 'staged', change: 'added', addedLines: 1, removedLines: 0 },
    ],
  })
  expect(await diff(`${home}/young`, 'staged')).toMatchObject({ diff: '@@ -0,0 +1 @@\n+one\n', addedLines: 1 })
  await inside('cd ~/young && git commit -qm first && git checkout -q --detach')
  expect(await tree(`${home}/young`)).toMatchObject({ branch: null, commit: expect.stringMatching(/^[0-9a-f]{40}$/) })
})

test('staged and unstaged changes are one diff; renames, binary files and modes are named', async () => {
  await inside(
    'git init -q -b main ~/work && cd ~/work && mkdir src && seq 1 40 > src/old.txt && echo a > both && echo x > run.sh && ' +
      'head -c 3000 /dev/urandom > pic.bin && echo gone > gone && git add . && git commit -qm first && ' +
      'git mv src/old.txt src/new.txt && echo more >> src/new.txt && git add src/new.txt && echo again >> src/new.txt && ' +
      'echo b > both && git add both && echo c >> both && chmod +x run.sh && head -c 3000 /dev/urandom > pic.bin && ' +
      'git rm -q gone && mkdir -p deep/er && echo n > deep/er/new.txt && head -c 3000 /dev/urandom > deep/new.bin',
  )
  const root = `${home}/work`
  expect((await tree(`${root}/src`))?.files).toMatchObject([
    { path: 'both', change: 'modified', addedLines: 2, removedLines: 1 },
    { path: 'deep/er/new.txt', change: 'untracked', addedLines: null },
    { path: 'deep/new.bin', change: 'untracked' },
    { path: 'gone', change: 'deleted', addedLines: 0, removedLines: 1 },
    { path: 'pic.bin', change: 'modified', isBinary: true, addedLines: null },
    { path: 'run.sh', change: 'modified', addedLines: 0, removedLines: 0 },
    { path: 'src/new.txt', from: 'src/old.txt', change: 'renamed', addedLines: 2, removedLines: 0 },
  ])
  expect((await diff(root, 'both')).diff).toBe('@@ -1 +1,2 @@\n-a\n+b\n+c\n')
  expect((await diff(root, 'src/new.txt', 'src/old.txt')).diff).toMatch(
    /^@@ -38,3 \+38,5 @@\n 38\n 39\n 40\n\+more\n\+again\n$/,
  )
  expect((await diff(root, 'deep/er/new.txt')).diff).toBe('@@ -0,0 +1 @@\n+n\n')
  expect((await diff(root, 'gone')).diff).toBe('@@ -1 +0,0 @@\n-gone\n')
  for (const file of ['pic.bin', 'deep/new.bin'])
    expect(await diff(root, file)).toMatchObject({ isBinary: true, diff: '' })
  expect(await diff(root, 'run.sh')).toMatchObject({ modes: { before: '100644', after: '100755' }, diff: '' })
})

test('names with spaces, line breaks, quotes, escape codes and leading dashes are listed and compared unchanged', async () => {
  const names = ['with space', 'line\nbreak', '"quo\'ted"', '\u001b[31mred', '-rf', ':(glob)*', 'ünï 🙂']
  await inside('git init -q ~/names && cd ~/names && git commit -q --allow-empty -m first')
  for (const name of names)
    await installation.client.files.write(thread.id, `${home}/names/${name}`, new Blob([`${name}`]))
  await inside('cd ~/names && git add -- -rf ":(literal)ünï 🙂"')
  const found = await tree(`${home}/names`)
  expect(found?.files.map(({ path }) => path)).toEqual(names.toSorted())
  for (const name of names) {
    const text = name
      .split('\n')
      .map((line) => `+${line}`)
      .join('\n')
    expect((await diff(`${home}/names`, name)).diff).toContain(text)
  }
  await inside("cd ~/names && touch $'\\xff'")
  expect(await tree(`${home}/names`)).toMatchObject({ moreFiles: 1, unreadableNames: 1 })
})

test('a change of 20,000 lines and a tree of many files are truncated and say what is missing', async () => {
  await inside(
    'git init -q ~/large && cd ~/large && seq 1 20000 | sed s/^/before/ > lines && git add . && git commit -qm first && ' +
      'seq 1 20000 | sed s/^/after/ > lines && mkdir many && cd many && seq -f f%05g 1 2500 | xargs touch',
  )
  const found = await tree(`${home}/large`)
  expect([found?.files.length, found?.moreFiles]).toEqual([2000, 501])
  expect(found?.files[0]).toMatchObject({ path: 'lines', addedLines: 20_000, removedLines: 20_000 })
  const shown = await diff(`${home}/large`, 'lines')
  expect(shown.isCut).toBe(true)
  expect(shown.diff.split('\n')).toHaveLength(20_001)
  expect(shown).toMatchObject({ removedLines: 19_999, addedLines: 0 })
})

test('a repository’s settings neither run their programs when it is inspected nor change the result', async () => {
  await inside(
    'git init -q ~/hostile && cd ~/hostile && echo a > a && echo "*.x diff=evil" > .gitattributes && echo 1 > b.x && ' +
      'git add . && git commit -qm first && echo b > a && echo 2 > b.x && git config core.fsmonitor "touch /tmp/ran; false" && ' +
      'git config diff.external "touch /tmp/ran" && git config diff.evil.textconv "touch /tmp/ran" && ' +
      'git config diff.noprefix true && git config color.ui always && git config diff.renames copies && ' +
      'git config diff.relative true && git config core.pager "touch /tmp/ran"',
  )
  expect((await tree(`${home}/hostile`))?.files.map(({ path }) => path)).toEqual(['a', 'b.x'])
  expect((await diff(`${home}/hostile`, 'a')).diff).toBe('@@ -1 +1 @@\n-a\n+b\n')
  expect((await diff(`${home}/hostile`, 'b.x')).diff).toBe('@@ -1 +1 @@\n-1\n+2\n')
  expect(await inside('test ! -e /tmp/ran && echo nothing ran')).toContain('nothing ran')
})

test('repositories below a folder are found, those of tools are skipped, and files above one are refused', async () => {
  await inside('mkdir -p ~/all && cd ~/all && git init -q two && git init -q a/one && git init -q node_modules/x')
  const view = await git().look(thread.id, `${home}/all`)
  expect(view.repositories).toEqual([`${home}/all/two`, `${home}/all/a/one`])
  expect(view).toMatchObject({ areAllFound: true, tree: { root: `${home}/all/two` } })
  await inside('mkdir -p ~/all/a/one/deep && touch ~/all/a/one/deep/file')
  const other = await git().look(thread.id, `${home}/all`, { repository: `${home}/all/a/one/deep` })
  expect(other).toMatchObject({ tree: { root: `${home}/all/a/one`, files: [{ path: 'deep/file' }] } })
  for (const file of ['../../etc/passwd', '/etc/passwd', '.', 'a//b']) {
    await expect(diff(`${home}/all/two`, file)).rejects.toMatchObject({ code: 'request.invalid' })
  }
})

test('git and find run as the sandbox’s user: what only root can read is not reported', async () => {
  await inside(
    'sudo mkdir -p /srv/open /srv/closed && sudo chown user /srv/open && git init -q /srv/open/repo && ' +
      'sudo git init -q /srv/closed/repo && sudo chmod 700 /srv/closed',
  )
  expect((await git().look(thread.id, '/srv')).repositories).toEqual(['/srv/open/repo'])
  await expect(tree('/srv/closed/repo')).rejects.toMatchObject({ code: 'file.refused' })
})

test('inspecting wakes nothing and leaves nothing behind', async () => {
  const index = () => inside('stat -c %Y:%i ~/work/.git/index && ls ~/work/.git | sort | sha256sum')
  const before = await index()
  await tree(`${home}/work`)
  await diff(`${home}/work`, 'both')
  expect(await index()).toBe(before)
  await installation.client.sandboxes.pause(thread.id)
  await expect(git().look(thread.id, home)).rejects.toMatchObject({ code: 'sandbox.not-awake' })
  await expect(diff(`${home}/work`, 'both')).rejects.toMatchObject({ code: 'sandbox.not-awake' })
  expect(await stateNow()).toBe('paused')
})
