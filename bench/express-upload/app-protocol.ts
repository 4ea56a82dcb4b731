/** The compared apps, each in a separate process. */
export const APPS = ['ours', 'web', 'bare', 'bare web', 'multer + openai', 'express-fileupload + openai'] as const

/** One of {@link APPS}. */
export type AppName = (typeof APPS)[number]

/** Cost of an app since its start: its response to `GET /cost`. */
export interface AppCost {
  readonly peakBytes: number
  readonly cpuSeconds: number
}
