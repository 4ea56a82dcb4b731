// Vitest's global setup of the suites that install the packages.
export { shareTarballs as setup } from './clean-project.ts'
