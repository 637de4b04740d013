import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../../browser/app-in-browser.ts'
import { emptyFigure, type Figure } from '../figure.ts'
import type { Stage } from '../stage.ts'

const rounds = 20
/** The first one loads the script that paints. */
const warmUpRounds = 2
const region = { x: 40, y: 40, width: 400, height: 300 }

/** A page like a dashboard: cards with text, bars, rounded corners, shadows, and a drawing. */
const site = `<!doctype html><html lang="en"><title>Stations</title><style>
body{margin:0;padding:16px;font:16px/1.5 'DejaVu Sans',sans-serif}
main{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:12px}
article{border-radius:10px;padding:12px;color:#fff;background:linear-gradient(#123c69,#0b6e4f);box-shadow:0 2px 6px #0004}
h2{font-size:17px;margin:0}p{margin:4px 0 8px;font-size:13px}div{height:10px;border-radius:5px;background:#fffc}
</style><h1>Stations</h1><canvas width="400" height="80"></canvas><main></main><script>
const context = document.querySelector('canvas').getContext('2d')
for (let index = 0; index < 40; index += 1) {
  context.fillStyle = 'hsl(' + index * 9 + ' 60% 50%)'
  context.fillRect(index * 10, 80 - index * 2, 8, index * 2)
}
document.querySelector('main').innerHTML = Array.from({ length: 60 }, (_, index) => '<article><h2>Station ' + index +
  '</h2><p>' + (4599 - index * 37) + ' trips</p><div style="width:' + (20 + index) + '%"></div></article>').join('')
</script></html>`

/**
 * From Ask over a region of a running service, as the browser got the key, to the frame with the badge in the message.
 * The floor is the browser’s own screenshot of the same part of the screen, taken alternately.
 */
export async function screenshot(stage: Stage): Promise<Figure[]> {
  const figure = emptyFigure({
    id: 'screenshot',
    title: `Ask about ${region.width} × ${region.height} of a preview until its badge is in the message`,
    floorTitle: 'the browser’s own screenshot of the same region',
    target: null,
  })
  await using cleanup = new AsyncDisposableStack()
  const { thread } = await stage.newAwakeThread()
  await stage.client.files.write(thread.id, '/home/user/site/index.html', new Blob([site]))
  const command = 'python3 -m http.server 8600 --directory /home/user/site'
  const { browser } = cleanup.use(await startBrowser(stage.server))
  const view = { width: 1440, height: 900 }
  const page = await openPage(browser, { server: stage.server, pathname: `/threads/${thread.id}`, ...view })
  await page.locator('#message').waitFor()
  // The pane opens automatically.
  await stage.client.services.start(thread.id, { name: 'site', command, port: 8600 })
  const camera = page.getByRole('button', { name: 'Take a screenshot' })
  await camera.and(page.locator(':not([aria-disabled])')).waitFor({ timeout: 60_000 })
  for (let round = 0; round < rounds + warmUpRounds; round++) {
    await camera.click()
    const clip = await drag(page)
    const start = performance.now()
    await page.screenshot({ clip })
    const floorMs = performance.now() - start
    const badgeMs = await untilBadge(page)
    await page.getByRole('button', { name: 'Remove screenshot' }).click()
    if (round < warmUpRounds) continue
    figure.floorSamples.push(floorMs)
    figure.samples.push(badgeMs)
  }
  await stage.client.threads.delete(thread.id)
  return [figure]
}

/** Selects the region with the mouse, and returns its position on the screen. */
async function drag(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await page.locator('.shade').boundingBox()
  const left = (box?.x ?? 0) + region.x
  const top = (box?.y ?? 0) + region.y
  await page.mouse.move(left, top)
  await page.mouse.down()
  await page.mouse.move(left + region.width, top + region.height, { steps: 4 })
  await page.mouse.up()
  return { x: left, y: top, width: region.width, height: region.height }
}

/** Presses Enter. The browser itself reports when the badge’s image became visible. */
async function untilBadge(page: Page): Promise<number> {
  await page.evaluate(`(() => {
    window.badge = new Promise((resolve, reject) => {
      let enterAt
      addEventListener('keydown', (event) => { enterAt ??= event.timeStamp }, { capture: true, once: true })
      new MutationObserver((_, observer) => {
        const image = document.querySelector('.composer .shot img')
        if (image === null) return
        observer.disconnect()
        image.decode().then(() => requestAnimationFrame(() => resolve(performance.now() - enterAt)), reject)
      }).observe(document.body, { subtree: true, childList: true })
    })
  })()`)
  await page.keyboard.press('Enter')
  return await page.evaluate<number>(
    `Promise.race([window.badge, new Promise((_, reject) => setTimeout(() => reject(new Error('there is no badge')), 60000))])`,
  )
}
