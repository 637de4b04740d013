export function ThreadPage() {
  return <main className="main" />
}
