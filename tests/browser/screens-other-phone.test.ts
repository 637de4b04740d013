import { describe } from 'vitest'
import { startScreenTools, testOnPhone } from './screens/every-screen.ts'
import { phoneWidth } from './screens/screen-stage.ts'
import { otherScreens } from './screens/screens.ts'

const parts = startScreenTools()
describe(`screens outside of threads at ${phoneWidth} px`, () => testOnPhone(otherScreens, parts))
