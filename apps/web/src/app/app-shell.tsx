import { Outlet } from '@tanstack/react-router'

/** The frame around every page of a signed-in person. */
export function AppShell() {
  return (
    <div className="app">
      <Outlet />
    </div>
  )
}
