import { setTimeout as delay } from 'node:timers/promises'
import { timed } from '../performance/figure.ts'
import type { Subject } from './subject.ts'
import { echo, type Task } from './task.ts'

/**
 * Work that a kernel of its own makes slower, and memory that it takes: rows in which the product loses, against containers
 * and the machine itself.
 */
export const losingTasks: readonly Task[] = [
  work({
    id: 'calls',
    title: '40,000 system calls: `dd` of 20,000 single bytes',
    line: 'dd if=/dev/zero of=/dev/null bs=1 count=20000 2> /dev/null; echo done',
    prints: 'done',
  }),
  work({
    id: 'small-files',
    title: '300 small files written, read, and removed',
    line: 'mkdir -p small; i=0; while [ $i -lt 300 ]; do echo $i > small/$i; i=$((i + 1)); done; cat small/* | wc -l; rm -rf small',
    prints: '300',
  }),
  work({
    id: 'git-status',
    title: '`git status` in a repository of 1,000 files, one of them changed',
    setUp:
      '[ -e repository ] || (mkdir repository && cd repository && git init -q && i=0; ' +
      'while [ $i -lt 1000 ]; do mkdir -p d$((i % 40)); echo $i > d$((i % 40))/$i; i=$((i + 1)); done; git add . ' +
      '&& git -c user.name=x -c user.email=x@example.org commit -qm first)',
    line: '(cd repository; date +%N > d1/1; git status --porcelain | wc -l)',
    prints: '1',
  }),
  work({
    id: 'npm-install',
    title: '`npm install` of 10 packages of 20 files each from a local folder',
    setUp:
      '[ -e packages ] || { mkdir -p packages project; i=0; while [ $i -lt 10 ]; do mkdir packages/p$i; j=0; ' +
      'while [ $j -lt 20 ]; do echo "module.exports = $j" > packages/p$i/f$j.js; j=$((j + 1)); done; ' +
      'printf \'{"name":"p%s","version":"1.0.0"}\' $i > packages/p$i/package.json; i=$((i + 1)); done; }',
    line:
      '(rm -rf project/*; cd project; npm install --offline --no-audit --no-fund --loglevel=error --install-links ../packages/* ' +
      '> /dev/null; ls node_modules | wc -l)',
    prints: '10',
  }),
  {
    rows: [
      {
        id: 'memory',
        title: 'Memory of an idle sandbox that the kernel can’t reclaim, after one command',
        unit: 'MiB',
      },
    ],
    megabytes: 64,
    measure: async ({ driver }: Subject) => {
      const id = await driver.create()
      try {
        await echo(driver, id)
        await delay(1000)
        return [{ value: (await driver.describe(id)).memoryBytes / 2 ** 20 }]
      } finally {
        await driver.delete(id)
      }
    },
  },
]

/** A line leaves the shell where it was: a technology can have one shell for all commands. */
function work(of: { id: string; title: string; setUp?: string; line: string; prints: string }): Task {
  return {
    rows: [{ id: of.id, title: of.title, unit: 'ms' }],
    megabytes: 64,
    needsImage: true,
    measure: async ({ run }) => {
      if (of.setUp !== undefined) await run(of.setUp)
      let output = ''
      const value = await timed(async () => {
        output = await run(of.line)
      })
      if (output.trim() !== of.prints) throw new Error(`it printed ${output.slice(0, 300)}`)
      return [{ value }]
    },
  }
}
