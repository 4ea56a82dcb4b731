export { multipartBody } from './multipart.ts'
export { nameUpload } from './name.ts'
export {
  type FileAccess,
  type NameUpload,
  needFiles,
  OCTETS,
  type OpenedUpload,
  openUpload,
  type UploadContext,
  type UploadData,
  type UploadFile,
  type UploadSource,
  type UploadStream,
} from './source.ts'
