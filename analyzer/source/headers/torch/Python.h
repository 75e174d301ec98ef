// The few words by which an extension makes itself a module of Python.
#pragma once
#include <cstddef>
#ifdef __cplusplus
#define PyMODINIT_FUNC extern "C" PyObject *
#endif
typedef std::ptrdiff_t Py_ssize_t; typedef struct _object { Py_ssize_t ob_refcnt; struct _typeobject *ob_type; } PyObject;
typedef struct PyModuleDef_Base { PyObject ob_base; PyObject *(*m_init)(); Py_ssize_t m_index; PyObject *m_copy; } PyModuleDef_Base;
#define PyModuleDef_HEAD_INIT {{1, nullptr}, nullptr, 0, nullptr}
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
struct PyMethodDef { const char *ml_name; PyCFunction ml_meth; int ml_flags; const char *ml_doc; };
struct PyModuleDef_Slot { int slot; void *value; };
struct PyModuleDef { PyModuleDef_Base m_base; const char *m_name, *m_doc; Py_ssize_t m_size; PyMethodDef *m_methods; PyModuleDef_Slot *m_slots;
  int (*m_traverse)(PyObject *, int (*)(PyObject *, void *), void *); int (*m_clear)(PyObject *); void (*m_free)(void *); };
#define METH_VARARGS 1
#define METH_KEYWORDS 2
#define METH_NOARGS 4
#define METH_O 8
extern "C" { PyObject *PyModule_Create(PyModuleDef *); PyObject *PyModuleDef_Init(PyModuleDef *); int PyArg_ParseTuple(PyObject *, const char *, ...);
PyObject *Py_BuildValue(const char *, ...); int PyModule_AddObject(PyObject *, const char *, PyObject *); void Py_IncRef(PyObject *); void Py_DecRef(PyObject *);
extern PyObject *PyExc_RuntimeError, *PyExc_ValueError, *PyExc_TypeError; void PyErr_SetString(PyObject *, const char *); extern PyObject _Py_NoneStruct; }
#define Py_None (&_Py_NoneStruct)
#define Py_INCREF(o) Py_IncRef(o)
#define Py_DECREF(o) Py_DecRef(o)
#define Py_RETURN_NONE return Py_None
