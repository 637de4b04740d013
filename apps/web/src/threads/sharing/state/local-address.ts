/** True if an address leads every device to itself: a link with it works nowhere else. */
export function isLocalAddress(url: string): boolean {
  const { hostname } = new URL(url)
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
