export * from './sandbox-driver.ts'
