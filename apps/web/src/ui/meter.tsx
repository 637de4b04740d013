/** A bar that shows how much of something is used. */
export function Meter(props: { value: number; maximum: number; label: string }) {
  const share = props.maximum <= 0 ? 0 : Math.min(1, Math.max(0, props.value / props.maximum))
  return (
    <span className="meter">
      <meter className="sr" aria-label={props.label} min={0} max={props.maximum} value={props.value} />
      <i style={{ width: `${share * 100}%` }} />
    </span>
  )
}
