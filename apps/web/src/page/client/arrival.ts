/**
 * The query string of the address that the app was opened with, unchanged. The router rewrites what it parses (numbers
 * above all), and codes from other servers have to be passed on exactly.
 */
export const arrivedWith: string = location.search
