/** Words in names of settings about how the installation is reached. */
const networkWords = ['listen', 'port', 'domain', 'public', 'allowed', 'proxy', 'egress']

/** True for settings that belong on the page Network. */
export function isNetworkSetting(name: string): boolean {
  return wordsOf(name).some((word) => networkWords.includes(word))
}

const sleepSettings = ['idlePauseMinutes', 'hotHours', 'hotKeep', 'maxAwakeHours', 'archiveDays', 'retentionDays']

/** True for settings about when sandboxes sleep and what is kept. */
export function isSleepSetting(name: string): boolean {
  return sleepSettings.includes(name) || isRescueSetting(name)
}

/** True for settings that limit what is saved when memory is discarded. */
export function isRescueSetting(name: string): boolean {
  return name.startsWith('rescue')
}

/** The words of a name in lowercase, for names such as `sandboxMemoryBytes` and `THREADBOX_LISTEN_HOST`. */
export function wordsOf(name: string): string[] {
  const isVariable = /^[A-Z0-9_]+$/.test(name)
  const words = isVariable ? name.split('_') : name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(' ')
  return words.map((word) => word.toLowerCase()).filter((word) => word !== 'threadbox')
}
