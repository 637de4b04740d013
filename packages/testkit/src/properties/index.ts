export { checkProperty, type PropertyReport } from './check-property.ts'
export { cutAnywhere, cuts, foreignJson, foreignText } from './foreign-input.ts'
