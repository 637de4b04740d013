/** The numbers of added and removed lines; empty if they aren’t counted. */
export function LineCount(props: { added: number | null; removed: number | null }) {
  const { added, removed } = props
  if (added === null || removed === null || added + removed === 0) return null
  return (
    <span className="diff-count file-lines">
      {added > 0 && <span className="add">{`+${added}`}</span>}
      {removed > 0 && <span className="del">{`−${removed}`}</span>}
    </span>
  )
}
