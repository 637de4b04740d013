export function SettingsPage() {
  return <main className="main" />
}
