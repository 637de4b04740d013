export function SetupPage() {
  return <main className="main" />
}
