import type { Browser, BrowserContext, BrowserContextOptions, Cookie, Page } from 'playwright-core'

/**
 * Browser profiles, each of which serves one page after another: a new one has to sign in, which takes the server a
 * quarter of a second of work, and loads and compiles the whole app again. A page finds a profile as a new one would be
 * after signing in; what stays is what the browser has loaded.
 */
type Profile = { home: BrowserContext[]; cookies: Cookie[] }

const free = new WeakMap<Browser, Map<string, BrowserContext[]>>()
const known = new WeakMap<BrowserContext, Profile>()

/** A file of the app at which any page can be without starting the app. */
export const quietPath = '/favicon.svg'

/** A new page, at a file of this origin, in a profile that no other page uses. `enter` is called in a new profile. */
export async function pageInProfile(
  browser: Browser,
  options: { origin: string; settings: BrowserContextOptions; enter?: (page: Page) => Promise<void> },
): Promise<Page> {
  const { origin, settings, enter } = options
  const home = homeOf(browser, JSON.stringify([origin, settings]))
  const kept = home.pop()
  const profile = kept ?? (await browser.newContext(settings))
  profile.setDefaultTimeout(60_000)
  const page = await profile.newPage()
  await page.goto(`${origin}${quietPath}`)
  if (kept !== undefined) await page.evaluate('localStorage.clear()')
  else {
    await enter?.(page)
    known.set(profile, { home, cookies: await profile.cookies() })
  }
  return page
}

/** Closes what is open in a profile and keeps it for the next page, unless a page signed out or in as another user. */
export async function leaveProfile(profile: BrowserContext): Promise<void> {
  const { home, cookies } = known.get(profile) ?? {}
  const now = await profile.cookies()
  const isAsBefore = cookies?.every(({ name, value }) => now.some((one) => one.name === name && one.value === value))
  if (home === undefined || cookies === undefined || !isAsBefore) return await profile.close()
  for (const page of profile.pages()) await page.close()
  await profile.clearPermissions()
  if (now.length > cookies.length) {
    await profile.clearCookies()
    await profile.addCookies(cookies)
  }
  home.push(profile)
}

function homeOf(browser: Browser, settings: string): BrowserContext[] {
  const homes = free.get(browser) ?? new Map<string, BrowserContext[]>()
  free.set(browser, homes)
  const home = homes.get(settings) ?? []
  homes.set(settings, home)
  return home
}
