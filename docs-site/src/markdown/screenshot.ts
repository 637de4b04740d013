/** Where the pages expect screenshots; the build copies the reference screenshots of the browser tests there. */
export const screenshotsFolder = 'screenshots'

export const screenshotThemes = ['light', 'dark'] as const

/** The screen `name` of the app, 1440 × 900, in the theme of the page. */
export function screenshot({ name, alt }: { name: string; alt: string }): string {
  const shown = { light: 'dark:sl-hidden', dark: 'light:sl-hidden' }
  const text = alt.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const images = screenshotThemes.map(
    (theme) =>
      `<img class="screenshot ${shown[theme]}" src="/docs/${screenshotsFolder}/${name}-${theme}.webp" alt="${text}" width="1440" height="900" loading="lazy">`,
  )
  return `<p>${images.join('')}</p>`
}
