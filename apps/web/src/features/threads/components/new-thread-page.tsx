export function NewThreadPage() {
  return <main className="main" />
}
