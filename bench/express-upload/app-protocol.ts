/** The apps that are compared, each in a process of its own. */
export const APPS = ['ours', 'bare', 'multer + openai', 'express-fileupload + openai'] as const

/** One of {@link APPS}. */
export type AppName = (typeof APPS)[number]

/** What an app has cost since its start; it answers `GET /cost` with it. */
export interface AppCost {
  readonly peakBytes: number
  readonly cpuSeconds: number
}
