/* Direct calls of a program, which bypass the queue: what `_DirectCall` in direct.py does, in a third of the time.

   A Call is made for one signature of a program. It checks the arguments, writes the addresses of arrays into the words that the crew reads, and
   calls the crew. It returns None if anything differs from its signature; then the usual way must be taken.

   Python code may run where memory is allocated (the garbage collector calls finalizers), and another thread may run while an array with gaps is
   copied. So results are made first, and then everything is checked again. From the first word that is written until the crew is done, nothing else
   runs in this thread. If other threads may run meanwhile, the turn is taken out of the list `turns`, as direct.py does. */

#include <Python.h>
#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#ifdef Py_GIL_DISABLED
#error "calls rely on the interpreter's lock"
#endif

#define ALIGNMENT 128       /* bytes; results are aligned as in buffers.py */
#define MOST_KEPT (1 << 22) /* bytes; results up to this size use memory that is retained here, larger ones the pool, whose bookkeeping takes 3 µs */
#define IDLE 16             /* most blocks of memory that are retained for their next use */
#define INTERFACE 1         /* extension.py takes no other version: it may be newer than a library that was built beside it */

typedef void (*Crew)(npy_uint64 arguments, npy_uint64 context, npy_uint64 x, npy_uint64 y, npy_uint64 z);

/* An argument or a result: a constant, or an array of the shape and dtype of `like`. */
typedef struct {
    PyObject *constant;  /* the object that has to be given; NULL for arrays */
    PyArrayObject *like; /* an array of this shape and dtype; for an argument that may be copied, the memory that it is copied to */
    npy_uint64 *word;    /* the word for its address; NULL if no kernel reads it */
    int is_special;      /* for an argument: whether it is copied if its address cannot be passed; for a result: whether its memory is retained for others when it is dropped */
} Array;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *given; /* the arguments of `new_call`: arguments, results and launch; all other pointers are borrowed from it */
    Array *arguments, *results;
    Py_ssize_t argument_count, result_count;
    Crew run;
    npy_uint64 launch; /* the address that `run` is given */
    PyArrayObject *words, *image; /* the words that the crew reads, and their content for this signature */
    PyObject *current, *turns;    /* a list with the image that is in the words; a list that is empty while another thread uses the words */
    PyObject *drivers, *pool;
    int is_shared, is_single; /* whether other threads run meanwhile; whether the only result is returned without a tuple */
} Call;

static PyObject *lost_name, *take_name;

static bool is_plain(PyArrayObject *array)
{
    const int wanted = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
    return (PyArray_FLAGS(array) & wanted) == wanted;
}

static bool fits(const Array *wanted, PyObject *value)
{
    if (wanted->constant != NULL) {
        return value == wanted->constant;
    }
    if (!PyArray_CheckExact(value)) {
        return false;
    }
    PyArrayObject *array = (PyArrayObject *)value, *like = wanted->like;
    const int dimensions = PyArray_NDIM(like);
    return PyArray_DESCR(array) == PyArray_DESCR(like) && PyArray_NDIM(array) == dimensions
        && PyArray_CompareLists(PyArray_DIMS(array), PyArray_DIMS(like), dimensions)
        && (wanted->word == NULL || wanted->is_special || is_plain(array));
}

/* The arguments in a tuple or list, if they fit the signature; NULL otherwise, without an error. */
static PyObject **fitting(Call *self, PyObject *sequence)
{
    if (PySequence_Fast_GET_SIZE(sequence) != self->argument_count) {
        return NULL;
    }
    PyObject **values = PySequence_Fast_ITEMS(sequence);
    for (Py_ssize_t place = 0; place < self->argument_count; place++) {
        if (!fits(&self->arguments[place], values[place])) {
            return NULL;
        }
    }
    return values;
}

/* Whether this process has its drivers (a fork has not), and the processor does not flush subnormal numbers: 1, 0, or -1 for an error. */
static int is_usual(Call *self)
{
    volatile double tiny = DBL_MIN;
    if (tiny * 0.5 == 0.0) {
        return 0;
    }
    PyObject *lost = PyObject_GetAttr(self->drivers, lost_name);
    const int is_lost = lost == NULL ? -1 : PyObject_IsTrue(lost);
    Py_XDECREF(lost);
    return is_lost < 0 ? -1 : !is_lost;
}

/* The memory of one result. All views of the array refer to it. */
typedef struct {
    PyObject_HEAD
    void *bytes;
    size_t size;
} Memory;

/* The blocks that were dropped last, for the next results of the same sizes: malloc would give the end of its heap back to the system each time. */
static struct { void *bytes; size_t size; } idle[IDLE];
static unsigned dropped;

static void drop_memory(PyObject *object)
{
    Memory *self = (Memory *)object;
    void *last = idle[dropped % IDLE].bytes;
    idle[dropped % IDLE].bytes = self->bytes;
    idle[dropped++ % IDLE].size = self->size;
    free(last);
    Py_TYPE(object)->tp_free(object);
}

static PyTypeObject MemoryType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "eqsat.runtime.opencl._call.Memory",
    .tp_basicsize = sizeof(Memory),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = drop_memory,
};

static void *found_memory(size_t size)
{
    for (unsigned ago = 1; ago <= IDLE; ago++) {
        const unsigned place = (dropped - ago) % IDLE;
        if (idle[place].bytes != NULL && idle[place].size == size) {
            void *found = idle[place].bytes;
            idle[place].bytes = NULL;
            return found;
        }
    }
    void *bytes;
    return posix_memalign(&bytes, ALIGNMENT, size) == 0 ? bytes : NULL;
}

/* An array in memory that is retained in `idle` when it is dropped. */
static PyObject *kept_result(PyArrayObject *like)
{
    Memory *memory = PyObject_New(Memory, &MemoryType);
    if (memory == NULL) {
        return NULL;
    }
    memory->size = PyArray_NBYTES(like);
    memory->bytes = found_memory(memory->size);
    if (memory->bytes == NULL) {
        Py_DECREF(memory);
        return PyErr_NoMemory();
    }
    PyObject *made = PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)Py_NewRef(PyArray_DESCR(like)), PyArray_NDIM(like),
                                          PyArray_DIMS(like), NULL, memory->bytes, NPY_ARRAY_CARRAY, NULL);
    if (made == NULL || PyArray_SetBaseObject((PyArrayObject *)made, (PyObject *)memory) < 0) { /* takes over `memory` also on failure */
        if (made == NULL) {
            Py_DECREF(memory);
        }
        Py_CLEAR(made);
    }
    return made;
}

static PyObject *new_result(Call *self, const Array *result)
{
    PyArrayObject *like = result->like;
    PyObject *dtype = (PyObject *)PyArray_DESCR(like);
    if (!result->is_special) {
        return PyArray_NewFromDescr(&PyArray_Type, (PyArray_Descr *)Py_NewRef(dtype), PyArray_NDIM(like),
                                    PyArray_DIMS(like), NULL, NULL, 0, NULL);
    }
    if (PyArray_NBYTES(like) <= MOST_KEPT) {
        return kept_result(like);
    }
    PyObject *size = PyLong_FromSsize_t(PyArray_SIZE(like));
    PyObject *flat = size == NULL ? NULL : PyObject_CallMethodObjArgs(self->pool, take_name, size, dtype, NULL);
    PyArray_Dims shape = {PyArray_DIMS(like), PyArray_NDIM(like)};
    PyObject *made = flat == NULL ? NULL : PyArray_Newshape((PyArrayObject *)flat, &shape, NPY_CORDER);
    Py_XDECREF(size);
    Py_XDECREF(flat);
    return made;
}

/* New memory for the results: one array if `is_single`, otherwise a tuple. */
static PyObject *new_results(Call *self)
{
    if (self->is_single) {
        return new_result(self, &self->results[0]);
    }
    PyObject *made = PyTuple_New(self->result_count);
    for (Py_ssize_t place = 0; made != NULL && place < self->result_count; place++) {
        PyObject *result = new_result(self, &self->results[place]);
        PyTuple_SET_ITEM(made, place, result);
        if (result == NULL) {
            Py_CLEAR(made);
        }
    }
    return made;
}

/* Writes the words of this call: the image of the signature, and the addresses of arguments and results. Returns -1 for an error. */
static int place(Call *self, PyObject **values, PyObject *made)
{
    if (PyList_GET_ITEM(self->current, 0) != (PyObject *)self->image) {
        memcpy(PyArray_DATA(self->words), PyArray_DATA(self->image), PyArray_NBYTES(self->image));
        PyList_SetItem(self->current, 0, Py_NewRef(self->image));
    }
    for (Py_ssize_t number = 0; number < self->argument_count; number++) {
        const Array *wanted = &self->arguments[number];
        if (wanted->word == NULL) {
            continue;
        }
        PyArrayObject *array = (PyArrayObject *)values[number];
        if (!is_plain(array) && PyArray_CopyInto(wanted->like, array) < 0) {
            return -1;
        }
        *wanted->word = (npy_uint64)PyArray_DATA(is_plain(array) ? array : wanted->like);
    }
    for (Py_ssize_t number = 0; number < self->result_count; number++) {
        PyObject *result = self->is_single ? made : PyTuple_GET_ITEM(made, number);
        *self->results[number].word = (npy_uint64)PyArray_DATA((PyArrayObject *)result);
    }
    return 0;
}

/* Runs the program. Returns 1, or 0 if another thread has the turn, or -1 for an error. */
static int run(Call *self, PyObject **values, PyObject *made)
{
    if (PyList_GET_SIZE(self->turns) == 0) {
        return 0;
    }
    bool takes_turn = self->is_shared;
    for (Py_ssize_t number = 0; number < self->argument_count; number++) {
        takes_turn |= self->arguments[number].word != NULL && !is_plain((PyArrayObject *)values[number]);
    }
    if (takes_turn && PyList_SetSlice(self->turns, 0, 1, NULL) < 0) {
        return -1;
    }
    int done = place(self, values, made) < 0 ? -1 : 1;
    if (done == 1) {
        PyThreadState *others = self->is_shared ? PyEval_SaveThread() : NULL;
        self->run(self->launch, 0, 0, 0, 0);
        if (others != NULL) {
            PyEval_RestoreThread(others);
        }
    }
    if (takes_turn && PyList_Append(self->turns, Py_True) < 0) {
        done = -1;
    }
    return done;
}

static PyObject *call(PyObject *callable, PyObject *const *given, size_t count, PyObject *names)
{
    Call *self = (Call *)callable;
    if (PyVectorcall_NARGS(count) != 1 || names != NULL || !(PyTuple_Check(given[0]) || PyList_Check(given[0]))) {
        PyErr_SetString(PyExc_TypeError, "a Call takes one tuple or list of arguments");
        return NULL;
    }
    const int usual = is_usual(self);
    if (usual < 0) {
        return NULL;
    }
    if (!usual || PyList_GET_SIZE(self->turns) == 0 || fitting(self, given[0]) == NULL) {
        Py_RETURN_NONE;
    }
    PyObject *made = new_results(self);
    if (made == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_MemoryError)) {
            return NULL;
        }
        PyErr_Clear(); /* the usual way will raise an error that says what the memory was for */
        Py_RETURN_NONE;
    }
    PyObject **values = fitting(self, given[0]);
    const int done = values == NULL ? 0 : run(self, values, made);
    if (done == 1) {
        return made;
    }
    Py_DECREF(made);
    return done < 0 ? NULL : Py_NewRef(Py_None);
}

/* Reads a tuple of arguments or results. Returns NULL for an error. */
static Array *arrays_of(Call *self, PyObject *listed)
{
    const Py_ssize_t count = PyTuple_GET_SIZE(listed);
    Array *arrays = PyMem_Calloc(count + 1, sizeof(Array));
    if (arrays == NULL) {
        return (Array *)PyErr_NoMemory();
    }
    for (Py_ssize_t place = 0; place < count; place++) {
        Array *array = &arrays[place];
        PyObject *each = PyTuple_GET_ITEM(listed, place);
        Py_ssize_t number = -1;
        if (PyTuple_Check(each) && PyTuple_GET_SIZE(each) == 1) {
            array->constant = PyTuple_GET_ITEM(each, 0);
        }
        else if (!PyArg_ParseTuple(each, "O!np", &PyArray_Type, &array->like, &number, &array->is_special)) {
            PyMem_Free(arrays);
            return NULL;
        }
        array->word = number < 0 ? NULL : (npy_uint64 *)PyArray_DATA(self->words) + number;
    }
    return arrays;
}

/* Call(arguments, results, launch, single): see _call.pyi. */
static PyObject *new_call(PyTypeObject *type, PyObject *given, PyObject *names)
{
    PyObject *arguments, *results, *launch, *owner;
    unsigned long long address;
    Call *self = (Call *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->given = Py_NewRef(given);
    self->vectorcall = call;
    if (!PyArg_ParseTuple(given, "O!O!O!p", &PyTuple_Type, &arguments, &PyTuple_Type, &results, &PyTuple_Type,
                          &launch, &self->is_single)
        || !PyArg_ParseTuple(launch, "KKO!O!O!O!OOpO", &address, &self->launch, &PyArray_Type, &self->words,
                             &PyArray_Type, &self->image, &PyList_Type, &self->current, &PyList_Type,
                             &self->turns, &self->drivers, &self->pool, &self->is_shared, &owner)
        || (self->arguments = arrays_of(self, arguments)) == NULL
        || (self->results = arrays_of(self, results)) == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    self->argument_count = PyTuple_GET_SIZE(arguments);
    self->result_count = PyTuple_GET_SIZE(results);
    self->run = (Crew)address;
    if (self->is_single && self->result_count != 1) {
        Py_DECREF(self);
        PyErr_SetString(PyExc_ValueError, "there are several results, or none");
        return NULL;
    }
    return (PyObject *)self;
}

/* among(constants, single): a Call whose arguments are the arrays of this one with constants among them. */
static PyObject *among(PyObject *object, PyObject *given)
{
    Call *self = (Call *)object;
    PyObject *constants, *single;
    if (!PyArg_ParseTuple(given, "O!O", &PyTuple_Type, &constants, &single)) {
        return NULL;
    }
    PyObject *arrays = PyTuple_GET_ITEM(self->given, 0);
    PyObject *arguments = PyTuple_New(PyTuple_GET_SIZE(constants));
    Py_ssize_t next = 0;
    for (Py_ssize_t place = 0; arguments != NULL && place < PyTuple_GET_SIZE(constants); place++) {
        PyObject *each = PyTuple_GET_ITEM(constants, place);
        if (each == Py_None) {
            each = next < PyTuple_GET_SIZE(arrays) ? PyTuple_GET_ITEM(arrays, next++) : Py_None;
        }
        PyTuple_SET_ITEM(arguments, place, Py_NewRef(each));
    }
    if (arguments == NULL) {
        return NULL;
    }
    PyObject *made = PyObject_CallFunctionObjArgs((PyObject *)Py_TYPE(self), arguments,
        PyTuple_GET_ITEM(self->given, 1), PyTuple_GET_ITEM(self->given, 2), single, NULL);
    Py_DECREF(arguments);
    return made;
}

static int visit_held(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(((Call *)object)->given);
    return 0;
}

static void forget(PyObject *object)
{
    Call *self = (Call *)object;
    PyObject_GC_UnTrack(object);
    PyMem_Free(self->arguments);
    PyMem_Free(self->results);
    Py_XDECREF(self->given);
    Py_TYPE(object)->tp_free(object);
}

static PyMethodDef methods[] = {{"among", among, METH_VARARGS, NULL}, {NULL}};

/* There is no tp_clear: a Call owns a reference to a tuple only, and cycles through that are broken elsewhere. */
static PyTypeObject CallType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "eqsat.runtime.opencl._call.Call",
    .tp_basicsize = sizeof(Call),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_HAVE_GC,
    .tp_vectorcall_offset = offsetof(Call, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_new = new_call,
    .tp_dealloc = forget,
    .tp_traverse = visit_held,
    .tp_methods = methods,
};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_call", .m_size = -1};

PyMODINIT_FUNC PyInit__call(void)
{
    if (_import_array() < 0) {
        return NULL;
    }
    lost_name = PyUnicode_InternFromString("lost");
    take_name = PyUnicode_InternFromString("take_array");
    if (lost_name == NULL || take_name == NULL || PyType_Ready(&CallType) < 0 || PyType_Ready(&MemoryType) < 0) {
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL || PyModule_AddIntConstant(module, "INTERFACE", INTERFACE) < 0
        || PyModule_AddObjectRef(module, "Call", (PyObject *)&CallType) < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
