/**
 * Placeholders for rows that are loading. They appear late (see the stylesheet), so that a quick response shows none.
 */
export function Skeleton(props: { rows: number; label: string }) {
  return (
    <div className="skeleton" role="status" aria-label={props.label}>
      {Array.from({ length: props.rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no identity
        <span key={row} className="skeleton-row" />
      ))}
    </div>
  )
}
