import { describe } from 'vitest'
import { startScreenParts, testEveryScreen } from './screens/every-screen.ts'
import { phoneWidth } from './screens/screen-stage.ts'

const parts = startScreenParts()
describe(`at ${phoneWidth} px`, () => testEveryScreen(phoneWidth, parts))
