/** Words in the names of settings that say how the installation is reached. */
const networkWords = /host|port|domain|address|origin|url|proxy|listen|egress/i

/** True for settings that belong on the page Network. */
export function isNetworkSetting(name: string): boolean {
  return networkWords.test(name)
}
