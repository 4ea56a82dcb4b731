import type { Call, CallOptions } from '../transport/index.ts'
import type { UploadSource } from '../uploads/index.ts'
import type { FileDeletion, FileList, FileListQuery, StoredFile } from '../wire/index.ts'
import { filePages, type ListCall, listCall } from './lists.ts'
import { pathId, Resource, uploadRequest } from './resource.ts'

/** Body of {@link FilesResource.create}. */
export interface FileCreateBody {
  /** At most 512 MB, streamed. A string is a path on this machine. */
  readonly file: UploadSource
  /** A marker that the service stores, e.g. `audio`. */
  readonly purpose?: string
}

const PATH = '/v1/files'

const fileById = (id: string): string => `${PATH}/${pathId(id, 'file_id')}`

/** Stored files (interface: `/v1/files`). */
export class FilesResource extends Resource {
  /**
   * Stores a file. Its id is the `file_id` of transcription.
   * @throws InvalidRequestError before the request
   */
  create(body: FileCreateBody, options?: CallOptions): Call<StoredFile> {
    return this.context.api.json(() => {
      this.context.check(PATH, body, 'answer')
      const { file, ...fields } = body
      const request = { operation: 'files.create', path: PATH, fields }
      return uploadRequest(this.context, request, ['file', file], options)
    }, options)
  }

  /**
   * Lists the files of this tenant: one page when awaited, all files when iterated, each once. Deleting a file during the
   * iteration moves the others up, and the iteration skips one. Collect the ids first, then delete.
   * @throws InvalidRequestError before the request
   * @throws ProtocolError from an iteration, if the pages of the service repeat
   */
  list(query: FileListQuery = {}, options?: CallOptions): ListCall<FileList, StoredFile> {
    const { api, check } = this.context
    return listCall(api, { operation: 'files.list', path: PATH, check, follow: filePages }, query, options)
  }

  /** Reads the metadata of a file. */
  retrieve(id: string, options?: CallOptions): Call<StoredFile> {
    return this.context.api.json(() => ({ operation: 'files.retrieve', path: fileById(id) }), options)
  }

  /** Deletes a file and its bytes. */
  delete(id: string, options?: CallOptions): Call<FileDeletion> {
    return this.context.api.json(() => ({ operation: 'files.delete', method: 'DELETE', path: fileById(id) }), options)
  }
}
