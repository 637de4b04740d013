import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, messageField, send } from './app-in-browser.ts'
import { type BrowserStage, startBrowserStage } from './harness.ts'

let stage: BrowserStage
beforeAll(async () => {
  stage = await startBrowserStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const makeTrips = `cat > trips.py <<'EOF'
import csv, math
with open('trips.csv', 'w') as file:
    rows = csv.writer(file)
    rows.writerow(['hour', 'weekday', 'weekend'])
    for hour in range(24):
        peak = math.exp(-((hour - 8) ** 2) / 6) + math.exp(-((hour - 17) ** 2) / 8)
        rows.writerow([hour, round(120 + 900 * peak), round(100 + 520 * math.exp(-((hour - 14) ** 2) / 30))])
EOF
python trips.py && wc -l trips.csv`
const plotTrips = `import pandas as pd, matplotlib.pyplot as plt
trips = pd.read_csv('trips.csv', index_col='hour')
figure, axes = plt.subplots(figsize=(7, 2.6), layout='constrained')
trips.plot(ax=axes, color=['#3a55c8', '#8b8b84'])
axes.set(xlabel='hour of day', ylabel='trips', title='Trips per hour')
axes.spines[['top', 'right']].set_visible(False)
plt.show()
trips.describe().loc[['mean', 'max']].round(1)`

/** The scene of the README. With THREADBOX_README_PICTURE its screenshot is written to that file. */
test('O1, O2: files of one message are plotted in the next step, and table and figure appear in the thread', async () => {
  await stage.connectModel({ name: 'Scripted model' })
  stage.models.reply(
    {
      text: 'I’ll make a day of example trips first.',
      calls: [{ name: 'run_command', input: { command: makeTrips } }],
    },
    { text: 'Now the picture.', calls: [{ name: 'run_python', input: { code: plotTrips } }] },
    {
      text: 'Weekdays have two peaks, at 8 and at 17; weekends one broad one around 14. The figures are in `trips.csv`.',
    },
  )
  const thread = await stage.installation.client.threads.create({ title: 'Trips per hour' })
  const page = await stage.open(`/threads/${thread.id}`, { width: 1440, height: 1120 })
  await messageField(page).waitFor()
  await send(page, 'Make example trip counts for one day and plot weekdays against weekends.')
  await page.getByText('Weekdays have two peaks').waitFor({ timeout: 120_000 })
  await answered(page)
  const figure = page.getByRole('img').first()
  await figure.waitFor()
  expect(await figure.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBeGreaterThan(
    300,
  )
  // The sidebar counts awake sandboxes when the page is opened.
  await page.reload()
  await page.getByText('Weekdays have two peaks').waitFor()
  await figure.waitFor()
  const file = process.env.THREADBOX_README_PICTURE
  if (file !== undefined) await page.screenshot({ path: file })
})
