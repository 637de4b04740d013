import { useTranslation } from 'react-i18next'
import { type ChartPoint, chartPath, highest, newest } from '../state/chart-path.ts'

const [width, height] = [320, 64]

/** A small line chart. Its name says the newest and the highest value, for readers who don’t see the line. */
export function MachineChart(props: {
  title: string
  points: readonly ChartPoint[]
  period: { from: number; to: number; stepMs: number }
  /** The top of the chart; omitted: the highest value. */
  maximum?: number
  words: (value: number) => string
}) {
  const { t } = useTranslation('machine')
  const { title, points, period, words } = props
  const top = highest(points)
  const last = newest(points)
  const values = { now: last === null ? t('chart.unknown') : words(last), highest: words(top) }
  const path = chartPath(points, { ...period, maximum: props.maximum ?? Math.max(top, 1), width, height })
  return (
    <figure className="machine-chart">
      <figcaption>
        <b>{title}</b> <span className="facts num">{t('chart.values', values)}</span>
      </figcaption>
      <svg
        viewBox={`0 -2 ${width} ${height + 4}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${t('chart.values', values)}`}
      >
        <path d={`M0 ${height}H${width}`} className="machine-chart-base" />
        <path d={path} className="machine-chart-line" />
      </svg>
    </figure>
  )
}
