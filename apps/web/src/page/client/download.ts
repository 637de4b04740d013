/** Saves what is at an address. A failure is saved as a file then, and never takes the place of the page. */
export function download(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
