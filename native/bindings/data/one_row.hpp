#pragma once
// One row of words and numbers, as Python has them, read and put in its place.
#include "bindings/arrays.hpp"
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace margin::bindings {

/// Reads single rows of learnt columns: a list or tuple that holds one dictionary, list or tuple.
///
/// Only cells are taken that can mean one thing: a plain number in a column of numbers, a known word in a column of
/// words, None, NaN. Whatever is anything else makes the answer no, and is then read as a table. Nothing is raised.
class RowReader {
public:
    /// `codes` has for each column the codes of its words, or None if it holds numbers; `number_types` are the types of
    /// plain numbers beside float and int.
    RowReader(nb::tuple names, nb::tuple codes, nb::object left_out, nb::object number_types)
        : names_(std::move(names)), codes_(std::move(codes)), left_out_(std::move(left_out)),
          number_types_(std::move(number_types)) {}

    /// A float or a code (int) for each column.
    nb::object cells(nb::handle x, double largest) const {
        nb::list found;
        const bool is_read = each_cell(
            x, largest, [&](std::size_t, double value) { found.append(nb::float_(value)); },
            [&](std::size_t, std::int32_t code) { found.append(nb::int_(code)); });
        return is_read ? nb::object(std::move(found)) : nb::none();
    }

    /// Numbers and codes, each in the order of their columns.
    bool split(nb::handle x, double largest, InOutMatrix<double> numbers, InOutMatrix<std::int32_t> codes) const {
        double* number = numbers.data();
        std::int32_t* code = codes.data();
        return each_cell(
            x, largest, [&](std::size_t, double value) { *number++ = value; },
            [&](std::size_t, std::int32_t found) { *code++ = found; });
    }

    /// The row of a matrix of zeros. Column j has the rows of `learnt` (fill, centre, spread) and, if place[j] >= 0, its
    /// number or code there, filled and scaled; else a 1 at its code, counted from -1 - place[j] on. No where a cell
    /// cannot be filled, or is too far away for the scale.
    bool one_hot(nb::handle x, double largest, In<std::int32_t> place, InMatrix<double> learnt,
                 InOutMatrix<double> out) const {
        const std::size_t n = place.size();
        const double *fill = learnt.data(), *center = fill + n, *spread = center + n;
        bool is_finite = true;
        const auto put = [&](std::size_t j, double value) {
            value = ((std::isnan(value) ? fill[j] : value) - center[j]) / spread[j];
            is_finite = is_finite && std::isfinite(value);
            out.data()[place.data()[j]] = value;
        };
        const bool is_read = each_cell(x, largest, put, [&](std::size_t j, std::int32_t code) {
            if (place.data()[j] >= 0)
                put(j, code < 0 ? std::numeric_limits<double>::quiet_NaN() : code);
            else if (code >= 0)
                out.data()[-1 - place.data()[j] + code] = 1.0;
        });
        return is_read && is_finite;
    }

private:
    template <class OnNumber, class OnCode>
    bool each_cell(nb::handle x, double largest, OnNumber&& on_number, OnCode&& on_code) const {
        PyObject* const row = only_item(x.ptr());
        if (!row || !fits(row))
            return false;
        const bool by_name = PyDict_CheckExact(row);
        const auto n = static_cast<std::size_t>(PyTuple_GET_SIZE(names_.ptr()));
        for (std::size_t j = 0; j < n; ++j) {
            const auto at = static_cast<Py_ssize_t>(j);
            PyObject* const cell = by_name ? PyDict_GetItemWithError(row, PyTuple_GET_ITEM(names_.ptr(), at))
                                           : PySequence_Fast_GET_ITEM(row, at);
            if (!cell) {
                PyErr_Clear();
                return false;
            }
            PyObject* const codes = PyTuple_GET_ITEM(codes_.ptr(), at);
            if (codes == Py_None) {
                const auto value = number_in(cell, largest);
                if (!value)
                    return false;
                on_number(j, *value);
            } else {
                const auto code = code_in(cell, codes);
                if (!code)
                    return false;
                on_code(j, *code);
            }
        }
        return true;
    }

    static PyObject* only_item(PyObject* x) {
        const bool is_rows = PyList_CheckExact(x) || PyTuple_CheckExact(x);
        return is_rows && PySequence_Fast_GET_SIZE(x) == 1 ? PySequence_Fast_GET_ITEM(x, 0) : nullptr;
    }

    /// Whether there are as many cells as columns; beside them a dictionary may hold columns that were left out.
    bool fits(PyObject* row) const {
        const Py_ssize_t n = PyTuple_GET_SIZE(names_.ptr());
        if (PyList_CheckExact(row) || PyTuple_CheckExact(row))
            return PySequence_Fast_GET_SIZE(row) == n;
        if (!PyDict_CheckExact(row) || PyDict_Size(row) < n)
            return false;
        Py_ssize_t extra = PyDict_Size(row) - n;
        if (extra > 0)
            for (const nb::handle name : left_out_)
                extra -= is_there(PyDict_Contains(row, name.ptr()));
        return extra == 0;
    }

    std::optional<double> number_in(PyObject* cell, double largest) const {
        double value = std::numeric_limits<double>::quiet_NaN();
        if (PyFloat_CheckExact(cell))
            value = PyFloat_AS_DOUBLE(cell);
        else if (PyLong_CheckExact(cell) || is_number(cell))
            value = PyFloat_AsDouble(cell);
        else if (cell != Py_None)
            return std::nullopt;
        if (PyErr_Occurred()) { // a whole number beyond all doubles
            PyErr_Clear();
            return std::nullopt;
        }
        return std::abs(value) > largest ? std::nullopt : std::optional(value);
    }

    bool is_number(PyObject* cell) const {
        return is_there(PySet_Contains(number_types_.ptr(), reinterpret_cast<PyObject*>(Py_TYPE(cell))));
    }

    /// What Python found, or no where its comparison raised: keys and types may compare as they like.
    static bool is_there(int found) {
        if (found < 0)
            PyErr_Clear();
        return found == 1;
    }

    static std::optional<std::int32_t> code_in(PyObject* cell, PyObject* codes) {
        if (cell == Py_None || (PyFloat_CheckExact(cell) && std::isnan(PyFloat_AS_DOUBLE(cell))))
            return -1;
        PyObject* const code = PyUnicode_CheckExact(cell) ? PyDict_GetItemWithError(codes, cell) : nullptr;
        if (!code) {
            PyErr_Clear();
            return std::nullopt;
        }
        return static_cast<std::int32_t>(PyLong_AsLong(code));
    }

    nb::tuple names_, codes_;
    nb::object left_out_, number_types_;
};

} // namespace margin::bindings
