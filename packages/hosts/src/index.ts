export { cleanProject, type CleanProject, type CleanProjectOptions } from './clean-project.ts'
export { nodeBinary, type NodeMajor } from './node-binary.ts'
export { packageTarballs } from './package-tarballs.ts'
export { run, type RunOptions, type RunResult } from './run.ts'
