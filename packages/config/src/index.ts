export { readSettings, type Setting, type Settings, setting, settingInvalid } from './define-settings.ts'
export { installationSettings } from './installation.ts'
