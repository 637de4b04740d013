/** Downloads a file. An error response is saved as a file too, and never replaces the page. */
export function download(address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = ''
  link.click()
}
