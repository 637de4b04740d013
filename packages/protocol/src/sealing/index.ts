export { makeSealingKey, openText, type SealingKey, sealText } from './sealed-text.ts'
