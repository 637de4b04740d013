import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { type DevTools, makeDevTools } from './devtools.ts'

/** A browser started for one check of a page, with its own profile. */
export type Browser = {
  devTools: DevTools
  /** The end of what it printed, to explain a failure. */
  printed(): string
  /** Its processes: pid and resident memory of each. */
  processes(): { pid: number; residentBytes: number }[]
  /** Ends all of its processes and removes the profile. Calling it twice is safe. */
  close(): void
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The image contains the first; a user may have installed another. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const profilePrefix = 'threadbox-look-'

const flags = [
  '--headless',
  '--remote-debugging-pipe',
  // The sandbox around it is gVisor; Chromium's own needs user namespaces or a setuid program.
  '--no-sandbox',
  '--disable-gpu',
  '--enable-unsafe-swiftshader',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-sync',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--metrics-recording-only',
  '--mute-audio',
  '--hide-scrollbars',
  '--password-store=basic',
  '--block-new-web-contents',
  '--force-color-profile=srgb',
  // Frames of other origins run in the page's process: fewer processes, and their console is captured.
  '--disable-features=IsolateOrigins,site-per-process,Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider',
  '--renderer-process-limit=1',
  // A page that only grows fails with its own error before it strains the sandbox.
  '--js-flags=--max-old-space-size=768',
]

/** Returns the browser's path; undefined if none is installed. */
export function findBrowser(path: string): string | undefined {
  const directories = [...path.split(':'), '/usr/bin']
  return programs
    .flatMap((name) => directories.map((directory) => join(directory, name)))
    .find((file) => existsSync(file))
}

export function startBrowser(
  program: string,
  options: { width: number; height: number; environment: Environment },
): Browser {
  removeAbandonedProfiles()
  const profile = mkdtempSync(join(tmpdir(), `${profilePrefix}${process.pid}-`))
  // Its own process group, so that all of it can be ended together and told from the user's other browsers.
  const child = spawn(
    program,
    [...flags, `--user-data-dir=${profile}`, `--window-size=${options.width},${options.height}`, 'about:blank'],
    {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      env: {
        ...options.environment,
        HOME: profile,
        XDG_CONFIG_HOME: profile,
        XDG_CACHE_HOME: profile,
        DBUS_SESSION_BUS_ADDRESS: '/dev/null',
      },
    },
  )
  let printed = ''
  child.stderr?.on('data', (data: Buffer) => {
    printed = (printed + data.toString('utf8')).slice(-2000)
  })
  const devTools = makeDevTools({ input: child.stdio[3] as Writable, output: child.stdio[4] as Readable })
  child.once('error', (error) => devTools.end(error))
  child.once('exit', (code, signal) => devTools.end(new Error(`The browser ended with ${signal ?? code}.`)))
  return {
    devTools,
    printed: () => printed.trim(),
    processes: () => processesOfGroup(child.pid),
    close: () => {
      endGroup(child)
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    },
  }
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nothing of the group is left, as intended.
  }
}

/** Removes profiles left behind by checks that were killed. */
function removeAbandonedProfiles(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(profilePrefix) ? /^(\d+)-/.exec(name.slice(profilePrefix.length))?.[1] : undefined
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    } catch {
      // Another user's: that user's next check removes it.
    }
  }
}

const pageBytes = 4096

function processesOfGroup(group: number | undefined): { pid: number; residentBytes: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      // The name in parentheses can contain anything; after it: state, parent, group, … resident pages as the 22nd.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return Number(fields[2]) === group
        ? [{ pid: Number(name), residentBytes: Number(fields[21] ?? 0) * pageBytes }]
        : []
    } catch {
      return []
    }
  })
}
