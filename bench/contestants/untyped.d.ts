// Minimal types of two packages without types.
declare module 'multer' {
  import type { RequestHandler } from 'express'
  export default function multer(options: { readonly dest: string }): { single(field: string): RequestHandler }
}

declare module 'express-fileupload' {
  import type { RequestHandler } from 'express'
  export default function fileUpload(options: {
    readonly useTempFiles: boolean
    readonly tempFileDir: string
  }): RequestHandler
}

declare namespace Express {
  interface Request {
    readonly file?: { readonly path: string }
    readonly files?: Readonly<Record<string, { readonly tempFilePath: string }>>
  }
}
