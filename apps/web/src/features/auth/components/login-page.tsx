export function LoginPage() {
  return <main className="main" />
}
