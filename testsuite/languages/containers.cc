// C++: containers, strings, exceptions, virtual functions, templates, lambdas, streams, objects with
// destructors, at file scope, too; messages by wildcard, MPI_Waitany; a stream that stays open.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" void test_pace_();

static int rank, size;

struct Counted {
    static int alive;
    Counted() { alive++; }
    Counted(const Counted &) { alive++; }
    ~Counted() { alive--; }
};
int Counted::alive;

struct Farewell {
    ~Farewell()
    {
        if (rank == 0)
            std::cout << "farewell " << Counted::alive << std::endl;
    }
};
static Farewell farewell;
thread_local int spoken;

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
class Disc : public Shape {
    double radius;

public:
    explicit Disc(double r) : radius(r) {}
    double area() const override { return 3.0 * radius * radius; }
};
class Box : public Shape {
    double width, height;

public:
    Box(double w, double h) : width(w), height(h) {}
    double area() const override { return width * height; }
};

template <class T> MPI_Datatype kind();
template <> MPI_Datatype kind<double>() { return MPI_DOUBLE; }
template <> MPI_Datatype kind<int>() { return MPI_INT; }

template <class T> void shift(std::vector<T> &data, int by)
{
    std::vector<T> got(data.size());
    MPI_Request requests[2];
    MPI_Irecv(got.data(), (int)got.size(), kind<T>(), (rank + size - by) % size, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data.data(), (int)data.size(), kind<T>(), (rank + by) % size, 1, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        int index;
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    }
    data = std::move(got);
}

static int checked(int step)
{
    Counted here;
    if (step % 3 == 0)
        throw std::runtime_error("step " + std::to_string(step));
    return step;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int steps = argc > 1 ? std::atoi(argv[1]) : 100, caught = 0;
    std::vector<double> field(500);
    std::iota(field.begin(), field.end(), rank);
    std::map<std::string, int> words;
    std::unordered_map<int, std::vector<int>> lists;
    std::vector<std::unique_ptr<Shape>> shapes;
    std::mt19937 random(rank + 1);
    std::ofstream file;
    if (rank == 0)
        file.open("containers.txt");
    std::function<void(int)> note = [&](int step) { words["step " + std::to_string(step % 7)] += step; };
    for (int step = 1; step <= steps; step++) {
        test_pace_();
        for (int i = 0; i < 10; i++)
            std::sort(field.begin(), field.end(), [i](double a, double b) { return std::sin(a + i) < std::sin(b + i); });
        shift(field, 1 + step % 2);
        try {
            caught += checked(step);
        } catch (const std::exception &error) {
            words[error.what()]++;
            spoken++;
        }
        note(step);
        lists[step % 11].push_back((int)(random() % 1000));
        if (step % 2)
            shapes.push_back(std::make_unique<Disc>(step * 0.01));
        else
            shapes.push_back(std::make_unique<Box>(step * 0.01, rank));
        std::vector<int> counts{(int)words.size(), caught, spoken};
        shift(counts, 1);
        double area = std::accumulate(shapes.begin(), shapes.end(), field[0],
                                      [](double sum, const std::unique_ptr<Shape> &s) { return sum + s->area(); });
        int root = step % size;
        if (rank == root) {
            std::map<int, double> from;
            for (int i = 1; i < size; i++) {
                MPI_Status status;
                double value;
                MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
                from[status.MPI_SOURCE] = value;
            }
            for (auto &[source, value] : from)
                area += value / (source + 1);
        } else {
            MPI_Send(&area, 1, MPI_DOUBLE, root, 2, MPI_COMM_WORLD);
        }
        MPI_Bcast(&area, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
        field[step % field.size()] += area * 1e-6;
        if (step % 20 == 0 && rank == 0) {
            std::ostringstream line;
            line << "step " << std::setw(4) << step << ' ' << std::fixed << std::setprecision(9) << area;
            std::cout << line.str() << '\n';
            file << line.str() << std::endl;
        }
    }
    double sum = std::accumulate(field.begin(), field.end(), 0.0);
    for (auto &list : lists)
        sum += list.second.back() * list.first;
    for (auto &word : words)
        sum += word.second * (double)word.first.size();
    std::vector<double> sums(size);
    MPI_Gather(&sum, 1, MPI_DOUBLE, sums.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (double value : sums)
            std::printf("%.9f\n", value);
    MPI_Finalize();
    return 0;
}
